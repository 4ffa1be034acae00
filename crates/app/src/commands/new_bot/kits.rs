//! The kits for a first bot, one per language: files, build and test commands, player spec. All kits share one README template.

/// Template of a first bot in one language.
pub struct Kit {
    /// The word on the command line.
    pub language: &'static str,
    /// Name of the language in prose.
    title: &'static str,
    /// What must be installed, as a sentence.
    needs: &'static str,
    /// Names and contents of its files, except the README.
    sources: &'static [(&'static str, &'static str)],
    /// The file whose `choose` a student changes.
    pub edit: &'static str,
    /// The command that builds it, if it must be built.
    pub build: Option<&'static str>,
    /// The command that runs its own test.
    test: &'static str,
    /// The player spec, relative to the kit's folder.
    pub bot: &'static str,
    /// Further paragraphs for the README.
    note: &'static str,
}

macro_rules! files {
    ($folder:literal: $($name:literal $(as $given:literal)?),*) => {
        &[$((files!(@name $name $($given)?), include_str!(concat!("../../../kits/", $folder, "/", $name)))),*]
    };
    (@name $name:literal) => { $name };
    (@name $name:literal $given:literal) => { $given };
}

pub const KITS: [Kit; 5] = [
    Kit {
        language: "python",
        title: "Python",
        needs: "Requirements: Python 3.8 or newer.",
        sources: files!("python": "bot.py", "test_bot.py", "gitignore" as ".gitignore"),
        edit: "bot.py",
        build: None,
        test: "python3 -m unittest",
        bot: "bot:python3 bot.py",
        note: "",
    },
    Kit {
        language: "rust",
        title: "Rust",
        needs: "Requirements: Rust 1.85 or newer; no crates.",
        sources: files!("rust": "Cargo.toml", "src/main.rs", "gitignore" as ".gitignore"),
        edit: "src/main.rs",
        build: Some("cargo build --release"),
        test: "cargo test",
        bot: "bot:./target/release/bot",
        note: "",
    },
    Kit {
        language: "cpp",
        title: "C++",
        needs: "Requirements: make and a C++17 compiler.",
        sources: files!("cpp": "bot.hpp", "main.cpp", "test.cpp", "Makefile", "gitignore" as ".gitignore"),
        edit: "bot.hpp",
        build: Some("make"),
        test: "make test",
        bot: "bot:./bot",
        note: "",
    },
    Kit {
        language: "java",
        title: "Java",
        needs: "Requirements: JDK 11 or newer.",
        sources: files!("java": "Bot.java", "TestBot.java", "gitignore" as ".gitignore"),
        edit: "Bot.java",
        build: None,
        test: "javac -d out Bot.java TestBot.java && java -ea -cp out TestBot",
        bot: "bot:java Bot.java",
        note: JAVA,
    },
    Kit {
        language: "js",
        title: "JavaScript",
        needs: "Requirements: Node.js 18 or newer; no packages.",
        sources: files!("js": "bot.js", "test.js", "package.json"),
        edit: "bot.js",
        build: None,
        test: "node --test",
        bot: "bot:node bot.js",
        note: "",
    },
];

const JAVA: &str = "
`java Bot.java` compiles the bot at every start. Compile it once to start faster, and to play where no compiler is installed:

```sh
javac -d out Bot.java
jar --create --file bot.jar --main-class Bot -C out .
parlor match 'bot:java -jar bot.jar' engine:level=1 --game kalah
```
";

impl Kit {
    pub fn of(language: &str) -> Option<&'static Kit> {
        KITS.iter().find(|kit| kit.language == language)
    }

    /// Names and contents of all files, with the README.
    pub fn files(&self) -> Vec<(&'static str, String)> {
        let sources = self.sources.iter().map(|(name, text)| (*name, (*text).to_string()));
        sources.chain([("README.md", self.readme())]).collect()
    }

    fn readme(&self) -> String {
        let build = self.build.map_or(String::new(), |command| format!("{command}\n"));
        include_str!("../../../kits/README.md")
            .replace("{title}", self.title)
            .replace("{edit}", self.edit)
            .replace("{needs}", self.needs)
            .replace("{build}", &build)
            .replace("{test}", self.test)
            .replace("{bot}", self.bot)
            .replace("{note}", self.note)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kit_has_the_file_to_edit_and_a_complete_readme() {
        for kit in &KITS {
            let files = kit.files();
            let text = |wanted: &str| &files.iter().find(|(name, _)| *name == wanted).expect(wanted).1;
            assert!(text(kit.edit).contains("YOUR STRATEGY GOES HERE"), "{}", kit.language);
            let readme = text("README.md");
            assert!(!readme.contains(['{', '}']), "{}: {readme}", kit.language);
            for part in [kit.title, kit.test, kit.bot, kit.build.unwrap_or_default()] {
                assert!(readme.contains(part), "{}: {part}", kit.language);
            }
        }
    }

    #[test]
    fn kit_files_have_at_most_120_lines() {
        for (kit, name, text) in
            KITS.iter().flat_map(|kit| kit.files().into_iter().map(move |(n, t)| (kit, n, t)))
        {
            assert!(text.lines().count() <= 120 && text.ends_with('\n'), "{} {name}", kit.language);
            assert!(!text.contains('\r'), "{} {name}", kit.language);
        }
    }
}
