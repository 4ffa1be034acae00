//! Builds an endgame table on disk, layer by layer from the lowest. Finished layers survive any interruption; running the same
//! build again resumes after them and gives the same bytes. A build that cannot be finished within the memory limit is refused
//! at the start. Packed layers are unpacked into memory while layers above them are built.

use crate::{
    BadTable, Filler, Form, Work,
    endgame_table::folder,
    format::{Title, entries, rules_fingerprint},
    layer::{LayerFile, UNFINISHED},
};
use parlor_core::Indexed;
use std::{
    fs::{self, File, TryLockError},
    io,
    panic::resume_unwind,
    path::Path,
    sync::{
        atomic::Ordering::Relaxed,
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

/// Memory needed in addition to the entries of the layer in progress.
const HEADROOM: u64 = 16 << 20;
/// Interval between progress reports.
const TICK: Duration = Duration::from_millis(500);

#[derive(Clone, Copy, Debug)]
pub struct BuildPlan<'a> {
    /// Parent folder of all tables.
    pub dir: &'a Path,
    /// Highest layer to build.
    pub up_to: u32,
    /// Memory limit for the layer in progress and the unpacked layers below it, in bytes. Plain layers are mapped and not
    /// counted.
    pub memory: u64,
}

#[derive(Clone, Copy, Debug)]
pub struct BuildProgress {
    pub layer: u32,
    /// As in the plan.
    pub up_to: u32,
    /// Entries of this layer that are done.
    pub done: u64,
    pub total: u64,
    pub stage: BuildStage,
    /// Entries per second in this layer.
    pub rate: f64,
    /// Estimated time to the end of the last layer, at this rate.
    pub left: Option<Duration>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuildStage {
    /// It existed already and is complete.
    Found,
    Filling,
    Packing,
    /// It was stored on disk.
    Kept,
}

/// The result of a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Built {
    /// The highest layer on disk; `None` if the build was stopped before the first.
    pub top: Option<u32>,
    /// Whether the table is complete; false if the build was stopped.
    pub whole: bool,
}

/// Builds the missing layers of the table of the game's family. Existing layers are verified block by block before others
/// depend on them.
pub fn build<G: Indexed>(
    game: &G,
    plan: &BuildPlan<'_>,
    filler: &dyn Filler<G>,
    work: &Work<'_>,
    progress: &mut dyn FnMut(&BuildProgress),
) -> Result<Built, BadTable> {
    build_as(Form::Plain, game, plan, filler, work, progress)
}

/// Like [`build`], with a storage form for new layers. Existing layers keep theirs: a table may have some of each.
pub fn build_as<G: Indexed>(
    form: Form,
    game: &G,
    plan: &BuildPlan<'_>,
    filler: &dyn Filler<G>,
    work: &Work<'_>,
    progress: &mut dyn FnMut(&BuildProgress),
) -> Result<Built, BadTable> {
    let (family, folder) = (game.family(), folder(game, plan.dir));
    let rules = rules_fingerprint(&family);
    let job = Job { form, plan, folder: &folder, rules, family: &family, filler, work };
    job.check()?;
    fs::create_dir_all(&folder).map_err(|error| BadTable::unreadable(&folder, &error))?;
    let _lock = lock(&folder)?;
    remove_unfinished(&folder).map_err(|error| BadTable::unreadable(&folder, &error))?;
    let mut layers: Vec<LayerFile> = Vec::new();
    for layer in 0..=plan.up_to {
        match job.find_or_fill(layer, &layers, progress)? {
            Some(file) => layers.push(file),
            None => return Ok(Built { top: job.top(), whole: false }),
        }
    }
    Ok(Built { top: Some(plan.up_to), whole: true })
}

struct Job<'a, G> {
    form: Form,
    plan: &'a BuildPlan<'a>,
    folder: &'a Path,
    family: &'a G,
    rules: u64,
    filler: &'a dyn Filler<G>,
    work: &'a Work<'a>,
}

impl<G: Indexed> Job<'_, G> {
    /// Refuses builds that cannot be completed.
    fn check(&self) -> Result<(), BadTable> {
        let allowed = self.plan.memory.min(isize::MAX as u64);
        let (mut unpacked, mut largest, mut fitting) = (0, None, None);
        for layer in 0..=self.plan.up_to {
            let len = entries(self.family, layer);
            let there = LayerFile::path(self.folder, layer).exists();
            if !there {
                let room = self.filler.room(self.family, layer).saturating_add(HEADROOM);
                let needed = len.saturating_add(room).saturating_add(unpacked);
                if needed > allowed && fitting.is_none() {
                    fitting = Some(layer.checked_sub(1));
                }
                if largest.is_none_or(|(_, most, _)| needed >= most) {
                    largest = Some((layer, needed, unpacked));
                }
            }
            let form = if there { LayerFile::form_of(self.folder, layer) } else { Some(self.form) };
            unpacked = unpacked.saturating_add(if form == Some(Form::Packed) { len } else { 0 });
        }
        if let (Some((layer, needed, unpacked)), Some(below)) = (largest, fitting) {
            return Err(BadTable::TooLarge { layer, needed, unpacked, allowed, below });
        }
        let mut missing =
            (0..=self.plan.up_to).filter(|&layer| !LayerFile::path(self.folder, layer).exists());
        missing.try_for_each(|layer| match fits(self.family, layer) {
            true => Ok(()),
            false => Err(BadTable::WideMargins(layer)),
        })
    }

    /// The highest layer that is on disk together with all layers below it.
    fn top(&self) -> Option<u32> {
        (0..=self.plan.up_to).take_while(|&layer| LayerFile::path(self.folder, layer).exists()).last()
    }

    /// The file of a layer: the existing one or a new one. `None` if the build was stopped.
    fn find_or_fill(
        &self,
        layer: u32,
        below: &[LayerFile],
        progress: &mut dyn FnMut(&BuildProgress),
    ) -> Result<Option<LayerFile>, BadTable> {
        if self.work.stopped() {
            return Ok(None);
        }
        let title = Title::of(self.family, self.rules, layer);
        if let Some(file) = LayerFile::open(self.folder, &title)? {
            (0..file.blocks()).try_for_each(|block| file.check(block))?;
            progress(&self.progress(&title, BuildStage::Found, title.entries, None));
            return Ok(Some(file));
        }
        let below = below.iter().map(LayerFile::entries).collect::<Result<Vec<&[i8]>, BadTable>>()?;
        let Some(entries) = self.fill(&title, &below, progress)? else { return Ok(None) };
        let begun = Instant::now();
        let mut packing =
            |done| progress(&self.progress(&title, BuildStage::Packing, done, Some(begun.elapsed())));
        if !LayerFile::write(self.folder, &title, self.form, &entries, self.work, &mut packing)? {
            return Ok(None);
        }
        progress(&self.progress(&title, BuildStage::Kept, title.entries, None));
        let file = LayerFile::open(self.folder, &title)?;
        if let Some(file) = &file {
            file.cache_entries(entries);
        }
        Ok(file)
    }

    /// Computes the entries of a layer in a thread while this one reports progress. `None` if the build was stopped.
    fn fill(
        &self,
        title: &Title,
        below: &[&[i8]],
        progress: &mut dyn FnMut(&BuildProgress),
    ) -> Result<Option<Vec<i8>>, BadTable> {
        let mut entries = Vec::new();
        let none = |_| BadTable::NoMemory(title.layer, title.entries);
        entries.try_reserve_exact(title.entries as usize).map_err(none)?;
        entries.resize(title.entries as usize, 0);
        let (begun, before) = (Instant::now(), self.work.done.load(Relaxed));
        let (finish, finished) = mpsc::channel::<()>();
        let whole = thread::scope(|scope| {
            let out = &mut entries;
            let filling = scope.spawn(move || {
                // Dropped at the end, even by a panic, which wakes the thread that reports progress.
                let _finish = finish;
                self.filler.fill(self.family, title.layer, below, out, self.work)
            });
            while finished.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                let done = self.work.done.load(Relaxed).saturating_sub(before);
                progress(&self.progress(title, BuildStage::Filling, done, Some(begun.elapsed())));
            }
            filling.join().unwrap_or_else(|panic| resume_unwind(panic))
        });
        Ok(whole.then_some(entries))
    }

    fn progress(
        &self,
        title: &Title,
        stage: BuildStage,
        done: u64,
        elapsed: Option<Duration>,
    ) -> BuildProgress {
        let rate = elapsed.map_or(0.0, |time| done as f64 / time.as_secs_f64().max(1e-9));
        let above = (title.layer + 1..=self.plan.up_to).map(|layer| entries(self.family, layer) as f64);
        let rest = title.entries.saturating_sub(done) as f64 + above.sum::<f64>();
        let left = (rate > 0.0).then(|| Duration::try_from_secs_f64(rest / rate).unwrap_or(Duration::MAX));
        let (layer, up_to, total) = (title.layer, self.plan.up_to, title.entries);
        BuildProgress { layer, up_to, done, total, stage, rate, left }
    }
}

/// Whether the margins of a layer fit an entry, according to the bounds of an evenly spread sample of positions.
fn fits<G: Indexed>(family: &G, layer: u32) -> bool {
    let last = u128::from(family.len(layer).saturating_sub(1));
    let most = i16::from(i8::MAX);
    (0..=16).filter_map(|i| family.position(layer, (last * i / 16) as u64)).all(|pos| {
        let bounds = family.bounds(&pos);
        -most <= bounds.lo.0 && bounds.hi.0 <= most
    })
}

/// Removes the unfinished files of an interrupted build.
fn remove_unfinished(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.to_str().is_some_and(|name| name.ends_with(UNFINISHED)) {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

/// Locks the folder against concurrent builds. The system releases the lock when the program ends for any reason.
fn lock(folder: &Path) -> Result<File, BadTable> {
    let path = folder.join("lock");
    let file = File::create(&path).map_err(|error| BadTable::unreadable(&path, &error))?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(BadTable::Busy(folder.to_path_buf())),
        // Some file systems do not support locks; then the user is responsible.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
    }
}
