//! `parlor new-bot`: puts a working first bot into a new folder and says how to go on. It changes nothing that is there, and
//! leaves nothing half made behind.

mod kits;

pub use kits::KITS;

use crate::error::CommandError;
use kits::Kit;
use std::{
    env,
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

pub fn run(language: &str, folder: &Path, out: &mut dyn Write) -> Result<(), CommandError> {
    let kit = Kit::of(language).ok_or_else(|| {
        let known = KITS.each_ref().map(|kit| kit.language).join(", ");
        let language = parlor_core::shortened(language, 24);
        CommandError::Input(format!("unknown language '{language}'; the languages are {known}"))
    })?;
    free(folder)?;
    let made = make(kit, folder).map_err(|error| {
        CommandError::Failed(format!("cannot create the bot in {}: {error}", named(folder)))
    })?;
    tell(kit, folder, &made, out)
}

/// Whether a folder can be had that holds nothing yet.
fn free(folder: &Path) -> Result<(), CommandError> {
    let bad = |what: &str| {
        Err(CommandError::Input(format!("{} {what}; choose a new folder, like my-bot", named(folder))))
    };
    if folder.as_os_str().is_empty() {
        return bad("is not a valid folder name");
    }
    match fs::read_dir(folder).map(Iterator::count) {
        Ok(1..) => bad("already exists and is not empty"),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            bad("is not a folder, or is inside a file")
        }
        // Whatever else may be wrong shows when the folder is made.
        _ => Ok(()),
    }
}

/// Makes the folder and its files; the names of these. What was made is taken away again if something fails.
fn make(kit: &Kit, folder: &Path) -> io::Result<Vec<&'static str>> {
    let (files, mut made) = (kit.files(), Vec::new());
    let done = files.iter().try_for_each(|(name, text)| {
        let path = folder.join(name);
        make_parents(&path, &mut made)?;
        let mut file = File::create_new(&path)?;
        made.push(path);
        file.write_all(text.as_bytes())
    });
    if done.is_err() {
        // The first failure is the one to tell; folders that others have put something into stay.
        for path in made.iter().rev() {
            let _ = if path.is_dir() { fs::remove_dir(path) } else { fs::remove_file(path) };
        }
    }
    done.map(|()| files.into_iter().map(|(name, _)| name).collect())
}

/// Makes the folders above a file, and notes those that were not there.
fn make_parents(file: &Path, made: &mut Vec<PathBuf>) -> io::Result<()> {
    let missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
    let missing: Vec<&Path> = file.ancestors().skip(1).take_while(missing).collect();
    for folder in missing.into_iter().rev() {
        fs::create_dir(folder)?;
        made.push(folder.to_path_buf());
    }
    Ok(())
}

/// What was made, and the commands to go on with.
fn tell(kit: &Kit, folder: &Path, made: &[&str], out: &mut dyn Write) -> Result<(), CommandError> {
    let (parlor, bot) = (own_name(), kit.bot);
    writeln!(out, "Created a bot in {}: {}.", word(folder), made.join(", "))?;
    writeln!(out, "Put your strategy in `choose()` in {}. Next steps:\n", kit.edit)?;
    writeln!(out, "  cd {}", word(folder))?;
    if let Some(build) = kit.build {
        writeln!(out, "  {build}")?;
    }
    writeln!(out, "  {parlor} check '{bot}' --game kalah")?;
    writeln!(out, "  {parlor} match '{bot}' engine:level=1 --game kalah")?;
    Ok(writeln!(out, "\nREADME.md explains the protocol, testing and tournaments.")?)
}

/// How this program can be called from another folder as well.
fn own_name() -> String {
    let called = env::args_os().next().map(PathBuf::from);
    let path = called.filter(|name| name.components().count() > 1);
    path.and_then(|path| std::path::absolute(path).ok()).map_or("parlor".to_string(), |path| word(&path))
}

/// A path in a sentence, which no path need fill.
fn named(path: &Path) -> String {
    parlor_core::shortened(&word(path), 200)
}

/// A path as a shell takes it for one word: bare where that is safe, in quotes otherwise. What a terminal might obey instead
/// of showing it is spelled out.
fn word(path: &Path) -> String {
    let bytes = path.as_os_str().as_encoded_bytes();
    let hyphen = if bytes.starts_with(b"-") { "./" } else { "" };
    let shown = |c: char| c == ' ' || c.is_ascii_graphic() || c.is_alphanumeric();
    match path.to_str() {
        Some(text) if !text.is_empty() && text.chars().all(is_bare) => format!("{hyphen}{text}"),
        Some(text) if text.chars().all(shown) => format!("'{hyphen}{}'", text.replace('\'', "'\\''")),
        _ => format!("$'{hyphen}{}'", bytes.iter().map(spelled).collect::<String>()),
    }
}

fn is_bare(c: char) -> bool {
    c.is_ascii_alphanumeric() || ":,=._@/-+%".contains(c)
}

fn spelled(byte: &u8) -> String {
    let letter = char::from(*byte);
    if is_bare(letter) || letter == ' ' { letter.to_string() } else { format!("\\x{byte:02x}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_one_word_and_does_nothing_to_a_terminal() {
        for (path, shown) in [
            ("my-bot", "my-bot"),
            ("/srv/a.b/c", "/srv/a.b/c"),
            ("-rf", "./-rf"),
            ("my bot", "'my bot'"),
            ("it's $HOME", "'it'\\''s $HOME'"),
            ("~", "'~'"),
            ("héros", "'héros'"),
            ("", "''"),
            ("a\u{1b}[2Jb", "$'a\\x1b\\x5b2Jb'"),
            ("a\nb'", "$'a\\x0ab\\x27'"),
            ("\u{202e}x", "$'\\xe2\\x80\\xaex'"),
        ] {
            assert_eq!(word(Path::new(path)), shown);
        }
    }

    #[test]
    fn what_was_made_is_taken_away_when_something_fails() {
        let above = parlor_testkit::temp_folder();
        let folder = above.join("mine");
        let kit = Kit::of("rust").expect("a kit");
        fs::create_dir_all(&folder).expect("a folder");
        // A file where the kit wants a folder: the second of its files cannot be made.
        fs::write(folder.join("src"), "my letters").expect("written");
        assert!(make(kit, &folder).is_err());
        let left: Vec<_> =
            fs::read_dir(&folder).expect("there").map(|e| e.expect("one").file_name()).collect();
        assert_eq!(left, ["src"]);
    }
}
