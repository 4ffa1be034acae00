//! `cargo xtask dist`: the files of a release, in a folder and as an archive: the binary, manual
//! pages, completions, the licences of all linked packages, checksums.

use crate::{
    command::{cargo, host, output, program, run as run_command},
    workspace::{self, root},
};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
};

const COMPLETIONS: [[&str; 2]; 3] = [["bash", "parlor.bash"], ["zsh", "_parlor"], ["fish", "parlor.fish"]];

pub fn run() -> Result<()> {
    let host = host()?;
    let name = format!("parlor-{}-{host}", env!("CARGO_PKG_VERSION"));
    let dist = workspace::target().join("dist");
    let folder = dist.join(&name);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let binary = build(&folder)?;
    write_documents(&folder, &binary)?;
    copy_licences(&folder, &host)?;
    checksums(&folder)?;
    let archive = format!("{name}.tar.gz");
    run_command(program("tar").current_dir(&dist).args(["-czf", &archive, &name]))
        .context("tar is needed")?;
    println!("{}", folder.display());
    println!("{}", dist.join(archive).display());
    Ok(())
}

/// Builds the binary and copies it into the folder.
fn build(folder: &Path) -> Result<PathBuf> {
    run_command(cargo().args(["build", "--profile", "dist", "--locked", "--package", "parlor-app"]))?;
    let file = format!("parlor{}", std::env::consts::EXE_SUFFIX);
    let binary = folder.join(&file);
    fs::copy(workspace::target().join("dist").join(&file), &binary).context("the built binary")?;
    Ok(binary)
}

/// Writes the manual pages and completions of the binary, and copies the repository's documents.
fn write_documents(folder: &Path, binary: &Path) -> Result<()> {
    run_command(program(binary).args(["man", "--dir"]).arg(folder.join("man")))?;
    fs::create_dir_all(folder.join("completions"))?;
    for [shell, file] in COMPLETIONS {
        let text = output(program(binary).args(["completions", shell]))?;
        fs::write(folder.join("completions").join(file), text)?;
    }
    for page in ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        let from = root().join(page);
        if from.exists() {
            fs::copy(from, folder.join(page))?;
        }
    }
    Ok(())
}

/// Copies the licence files of every package that is linked into the binary, in a folder per package.
fn copy_licences(folder: &Path, host: &str) -> Result<()> {
    let metadata = workspace::metadata()?;
    let packages = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
    let tree = ["tree", "--package", "parlor-app", "--edges", "normal", "--prefix", "none", "--target", host];
    let tree = output(cargo().args(tree).args(["--format", "{p}"]))?;
    let linked = |package: &&Value| {
        let begins = format!("{} v{}", text(&package["name"]), text(&package["version"]));
        tree.lines().any(|line| line.split(" (").next() == Some(begins.as_str()))
    };
    for package in packages.iter().filter(|package| !package["source"].is_null()).filter(linked) {
        let name = format!("{}-{}", text(&package["name"]), text(&package["version"]));
        let to = folder.join("licences").join(&name);
        fs::create_dir_all(&to)?;
        let from =
            Path::new(text(&package["manifest_path"])).parent().context("a package without a folder")?;
        let mut copied = 0;
        for file in fs::read_dir(from)? {
            let file = file?;
            let called = file.file_name().to_string_lossy().to_uppercase();
            let about_rights = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE", "COPYRIGHT"];
            if about_rights.iter().any(|word| called.starts_with(word)) && file.file_type()?.is_file() {
                fs::copy(file.path(), to.join(file.file_name()))?;
                copied += 1;
            }
        }
        fs::write(to.join("LICENCE-EXPRESSION"), format!("{}\n", text(&package["license"])))?;
        if copied == 0 {
            eprintln!("{name} comes without a licence file; only its expression is kept");
        }
    }
    Ok(())
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Writes SHA256SUMS for all files, in the format of `sha256sum --check`.
fn checksums(folder: &Path) -> Result<()> {
    let mut files = Vec::new();
    list(folder, folder, &mut files)?;
    files.sort();
    ensure!(!files.is_empty(), "there is nothing to check");
    let sums = output(program("sha256sum").current_dir(folder).arg("--").args(&files));
    let sums = sums.context("the checksums need sha256sum (GNU coreutils): please install it")?;
    Ok(fs::write(folder.join("SHA256SUMS"), sums)?)
}

fn list(top: &Path, folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            list(top, &path, files)?;
        } else {
            files.push(path.strip_prefix(top)?.to_path_buf());
        }
    }
    Ok(())
}
