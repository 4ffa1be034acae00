//! The frame of every page: head, navigation and footer.

use super::assets;
use axum::response::{IntoResponse, Response};
use maud::{DOCTYPE, Markup, html};

pub struct Page {
    title: String,
    body: Markup,
    /// What a link to it shows elsewhere: an address and a sentence.
    preview: Option<(String, String)>,
    wide: bool,
}

impl Page {
    pub fn new(title: impl Into<String>, body: Markup) -> Page {
        Page { title: title.into(), body, preview: None, wide: false }
    }

    /// The picture and the sentence that a link to it shows.
    #[must_use]
    pub fn with_preview(self, image: String, sentence: String) -> Page {
        Page { preview: Some((image, sentence)), ..self }
    }

    /// A page that takes all the width there is.
    #[must_use]
    pub fn wide(self) -> Page {
        Page { wide: true, ..self }
    }
}

impl IntoResponse for Page {
    fn into_response(self) -> Response {
        let Page { title, body, preview, wide } = self;
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (title) " · Parlor" }
                    link rel="stylesheet" href=(assets::style());
                    link rel="icon" href=(assets::icon_path()) type="image/svg+xml";
                    @if let Some((image, sentence)) = preview {
                        meta name="description" content=(sentence);
                        meta property="og:title" content=(title);
                        meta property="og:description" content=(sentence);
                        meta property="og:image" content=(image);
                    }
                    script type="module" src=(assets::script()) {}
                }
                body {
                    a.skip href="#content" { "Skip to content" }
                    header.top {
                        a.brand href="/" { "Parlor" }
                        nav aria-label="Main" {
                            a href="/" { "Play" }
                            a href="/rules" { "Rules" }
                            a href="/analysis" { "Analyse" }
                            a href="/tournaments" { "Tournaments" }
                        }
                    }
                    main #content .wide[wide] tabindex="-1" { (body) }
                    footer.foot {
                        p { "Play, solve and analyse board games. " a href="/api/v1/openapi.json" { "API" } }
                    }
                }
            }
        }
        .into_response()
    }
}
