//! The two files that pages load. Their names contain a hash of their content, so a browser caches them for ever and never uses an old
//! one.

use crate::problem::Problem;
use axum::{
    extract::Path,
    http::header,
    response::{IntoResponse, Response},
};
use sha2::{Digest, Sha256};
use std::{borrow::Cow, sync::LazyLock};

/// The style sheet of pages. The style of boards, which picture files have too, is inserted at [`BOARDS`].
const STYLE: &str = include_str!("../../assets/parlor.css");
const BOARDS: &str = "/* board.css of the crate render goes here */\n";
const SCRIPT: &str = include_str!("../../assets/parlor.js");
const ICON: &str = include_str!("../../assets/icon.svg");
const FOR_EVER: &str = "public, max-age=31536000, immutable";

/// A file with the name that its content gives it.
struct Asset {
    name: String,
    kind: &'static str,
    text: Cow<'static, str>,
}

static ASSETS: LazyLock<[Asset; 3]> = LazyLock::new(|| {
    [
        ("css", "text/css; charset=utf-8", Cow::Owned(STYLE.replacen(BOARDS, parlor_render::CSS, 1))),
        ("js", "text/javascript; charset=utf-8", Cow::Borrowed(SCRIPT)),
        ("svg", "image/svg+xml", Cow::Borrowed(ICON)),
    ]
    .map(|(ending, kind, text)| {
        let digest = Sha256::digest(text.as_ref());
        let hash: String = digest.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
        Asset { name: format!("parlor-{hash}.{ending}"), kind, text }
    })
});

/// URL path of the style sheet.
pub fn style() -> String {
    format!("/assets/{}", ASSETS[0].name)
}

/// URL path of the script.
pub fn script() -> String {
    format!("/assets/{}", ASSETS[1].name)
}

/// URL path of the icon.
pub fn icon_path() -> String {
    format!("/assets/{}", ASSETS[2].name)
}

pub async fn asset(Path(name): Path<String>) -> Result<Response, Problem> {
    let found = ASSETS.iter().find(|asset| asset.name == name).ok_or(Problem::NotFound("file"))?;
    Ok(([(header::CONTENT_TYPE, found.kind), (header::CACHE_CONTROL, FOR_EVER)], found.text.as_ref())
        .into_response())
}

/// The icon, for browsers that request `/favicon.ico`.
pub async fn icon() -> Response {
    ([(header::CONTENT_TYPE, ASSETS[2].kind), (header::CACHE_CONTROL, "public, max-age=86400")], ICON)
        .into_response()
}

/// What crawlers may read (RFC 9309): the home page, the rules and tournaments. Games and analyses are many, and no two requests of an
/// analysis are alike.
const ROBOTS: &str = "User-agent: *\nAllow: /$\nAllow: /rules\nAllow: /tournaments\nAllow: /assets/\nDisallow: /games\nDisallow: /analysis\n\
                      Disallow: /api/\nDisallow: /metrics\n";

pub async fn robots() -> Response {
    let kind = (header::CONTENT_TYPE, "text/plain; charset=utf-8");
    ([kind, (header::CACHE_CONTROL, "public, max-age=86400")], ROBOTS).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stylesheet_has_the_style_of_boards_and_loads_nothing() {
        let css = &ASSETS[0].text;
        assert!(css.contains(parlor_render::CSS) && !css.contains(BOARDS.trim()));
        assert!(css.len() < 32 * 1024, "{} bytes", css.len());
        assert!(!css.contains("url(") && !css.contains("@import"));
        assert_eq!(css.matches('{').count(), css.matches('}').count(), "every block is closed");
    }
}
