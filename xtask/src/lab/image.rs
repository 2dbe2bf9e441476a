//! What guests boot from: kernel, initrd and root, made of Debian packages by `xtask/lab/image.sh`
//! and kept under `target/lab`.
//!
//! The folder's name has a hash of the recipe (list of packages, scripts, Debian's release), so a
//! change of any makes a new image. New versions of packages do not: remove the folder to get them.
//! The guest is of the release that this machine is, as the program that is tried was linked
//! against its libraries.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::ci::packages;

/// What the image is made of, besides the packages themselves.
const RECIPE: [&str; 3] = ["packages", "image.sh", "initrd.sh"];

/// Where Debian says which release it is.
const RELEASE: &str = "/etc/os-release";

pub(crate) struct Image {
    folder: PathBuf,
}

impl Image {
    /// The one for this recipe, which is built if it is not there.
    pub(crate) fn provide(recipe: &Path, cache: &Path) -> Result<Self> {
        let mut texts = vec![fs::read_to_string(RELEASE).context(RELEASE)?];
        for name in RECIPE {
            let path = recipe.join(name);
            texts.push(fs::read_to_string(&path).with_context(|| path.display().to_string())?);
        }
        let folder = cache.join(folder_name(&texts));
        if !folder.exists() {
            build(recipe, cache, &folder)?;
        }
        Ok(Self { folder })
    }

    pub(crate) fn file(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }
}

fn folder_name(texts: &[String]) -> String {
    let mut hasher = DefaultHasher::new();
    texts.hash(&mut hasher);
    format!("image-{:016x}", hasher.finish())
}

/// Makes the image aside and gives it its name when it is whole. Images of other recipes go.
fn build(recipe: &Path, cache: &Path, folder: &Path) -> Result<()> {
    if !packages::is_root() {
        bail!("the image of the guests is built as root: run this once as root");
    }
    println!("building the image of the guests, which takes some minutes");
    let start = Instant::now();
    let [part, scratch] = ["part", "scratch"].map(|name| cache.join(name));
    for old in [&part, &scratch] {
        remove(old)?;
        fs::create_dir_all(old)?;
    }
    let log = cache.join("image.log");
    let status = Command::new("nice")
        .arg("bash")
        .args([&recipe.join("image.sh"), recipe, &part, &scratch])
        .stdout(fs::File::create(&log)?)
        .stderr(fs::OpenOptions::new().append(true).open(&log)?)
        .status()
        .context("bash does not start")?;
    remove(&scratch)?;
    if !status.success() {
        bail!("image.sh: {status}\n{}", fs::read_to_string(&log)?.trim_end());
    }
    for old in fs::read_dir(cache)?.filter_map(Result::ok) {
        if old.file_name().to_string_lossy().starts_with("image-") {
            remove(&old.path())?;
        }
    }
    fs::rename(&part, folder)?;
    println!("built in {:.0} s", start.elapsed().as_secs_f64());
    Ok(())
}

fn remove(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_recipe_makes_another_image() {
        let texts = |texts: [&str; 2]| folder_name(&texts.map(str::to_owned));
        assert_eq!(texts(["a", "b"]), texts(["a", "b"]));
        assert_ne!(texts(["a", "b"]), texts(["ab", ""]));
        assert_ne!(texts(["a", "b"]), texts(["a", "c"]));
    }
}
