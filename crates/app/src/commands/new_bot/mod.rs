//! `parlor new-bot`: creates a working first bot in a new folder and prints the next steps. It changes no existing files, and
//! removes the files it made if it fails.

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
    check_is_free(folder)?;
    let made = make(kit, folder).map_err(|error| {
        CommandError::Failed(format!("cannot create the bot in {}: {error}", short_name(folder)))
    })?;
    print_next_steps(kit, folder, &made, out)
}

/// Checks that the folder is empty or does not exist.
fn check_is_free(folder: &Path) -> Result<(), CommandError> {
    let bad = |what: &str| {
        Err(CommandError::Input(format!("{} {what}; choose a new folder, like my-bot", short_name(folder))))
    };
    if folder.as_os_str().is_empty() {
        return bad("is not a valid folder name");
    }
    match fs::read_dir(folder).map(Iterator::count) {
        Ok(1..) => bad("already exists and is not empty"),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            bad("is not a folder, or is inside a file")
        }
        // Other errors are reported when the folder is created.
        _ => Ok(()),
    }
}

/// Creates the folder and the files of a kit. Returns the file names. Removes everything it created if it fails.
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
        // Errors are ignored: the first failure is reported, and folders with other files stay.
        for path in made.iter().rev() {
            let _ = if path.is_dir() { fs::remove_dir(path) } else { fs::remove_file(path) };
        }
    }
    done.map(|()| files.into_iter().map(|(name, _)| name).collect())
}

/// Creates the parent folders of a file, and adds the new ones to `made`.
fn make_parents(file: &Path, made: &mut Vec<PathBuf>) -> io::Result<()> {
    let missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
    let missing: Vec<&Path> = file.ancestors().skip(1).take_while(missing).collect();
    for folder in missing.into_iter().rev() {
        fs::create_dir(folder)?;
        made.push(folder.to_path_buf());
    }
    Ok(())
}

/// Prints the created files and the next commands.
fn print_next_steps(
    kit: &Kit,
    folder: &Path,
    made: &[&str],
    out: &mut dyn Write,
) -> Result<(), CommandError> {
    let (parlor, bot) = (own_name(), kit.bot);
    writeln!(out, "Created a bot in {}: {}.", shell_word(folder), made.join(", "))?;
    writeln!(out, "Put your strategy in `choose()` in {}. Next steps:\n", kit.edit)?;
    writeln!(out, "  cd {}", shell_word(folder))?;
    if let Some(build) = kit.build {
        writeln!(out, "  {build}")?;
    }
    writeln!(out, "  {parlor} check '{bot}' --game kalah")?;
    writeln!(out, "  {parlor} match '{bot}' engine:level=1 --game kalah")?;
    Ok(writeln!(out, "\nREADME.md explains the protocol, testing and tournaments.")?)
}

/// The command that starts this program from any folder.
fn own_name() -> String {
    let called = env::args_os().next().map(PathBuf::from);
    let path = called.filter(|name| name.components().count() > 1);
    path.and_then(|path| std::path::absolute(path).ok())
        .map_or("parlor".to_string(), |path| shell_word(&path))
}

/// A path for a message, shortened.
fn short_name(path: &Path) -> String {
    parlor_core::shortened(&shell_word(path), 200)
}

/// Quotes a path as one word of a shell, if necessary. Control characters are written as hexadecimal escapes.
fn shell_word(path: &Path) -> String {
    let bytes = path.as_os_str().as_encoded_bytes();
    let hyphen = if bytes.starts_with(b"-") { "./" } else { "" };
    let shown = |c: char| c == ' ' || c.is_ascii_graphic() || c.is_alphanumeric();
    match path.to_str() {
        Some(text) if !text.is_empty() && text.chars().all(is_bare) => format!("{hyphen}{text}"),
        Some(text) if text.chars().all(shown) => format!("'{hyphen}{}'", text.replace('\'', "'\\''")),
        _ => format!("$'{hyphen}{}'", bytes.iter().map(hex_escaped).collect::<String>()),
    }
}

fn is_bare(c: char) -> bool {
    c.is_ascii_alphanumeric() || ":,=._@/-+%".contains(c)
}

fn hex_escaped(byte: &u8) -> String {
    let letter = char::from(*byte);
    if is_bare(letter) || letter == ' ' { letter.to_string() } else { format!("\\x{byte:02x}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_quoted_as_one_shell_word_without_control_characters() {
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
            assert_eq!(shell_word(Path::new(path)), shown);
        }
    }

    #[test]
    fn removes_created_files_after_a_failure() {
        let above = parlor_testkit::temp_folder();
        let folder = above.join("mine");
        let kit = Kit::of("rust").expect("a kit");
        fs::create_dir_all(&folder).expect("a folder");
        // A file in the place of a folder of the kit, so that its second file cannot be created.
        fs::write(folder.join("src"), "my letters").expect("written");
        assert!(make(kit, &folder).is_err());
        let left: Vec<_> =
            fs::read_dir(&folder).expect("there").map(|e| e.expect("one").file_name()).collect();
        assert_eq!(left, ["src"]);
    }
}
