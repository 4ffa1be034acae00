//! Processor cores for games: a thread that is pinned to a core runs nowhere else, and nor does what it starts.

/// The cores that this process may use.
#[derive(Clone, Debug)]
pub struct Cores {
    #[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "only Linux pins threads to cores"))]
    numbers: Vec<usize>,
}

#[cfg(target_os = "linux")]
impl Cores {
    /// The cores that the calling thread may use. The error is a sentence.
    pub fn available() -> Result<Cores, String> {
        use rustix::thread::{CpuSet, sched_getaffinity};
        let set = sched_getaffinity(None).map_err(|error| format!("pin: cannot read the cores: {error}"))?;
        Ok(Cores { numbers: (0..CpuSet::MAX_CPU).filter(|&core| set.is_set(core)).collect() })
    }

    /// Pins the calling thread to the core of a worker: one each, from the first again if there are more workers.
    pub fn pin(&self, worker: usize) -> Result<(), String> {
        let core = worker.checked_rem(self.numbers.len()).map(|at| self.numbers[at]);
        bind(core.into_iter()).map_err(|error| format!("pin: cannot pin a game to a core: {error}"))
    }

    /// Lets the calling thread run on all of them again.
    pub fn release(&self) {
        // What was allowed before is allowed again; otherwise the thread stays on its core.
        let _ = bind(self.numbers.iter().copied());
    }
}

#[cfg(target_os = "linux")]
fn bind(cores: impl Iterator<Item = usize>) -> std::io::Result<()> {
    let mut set = rustix::thread::CpuSet::new();
    cores.for_each(|core| set.set(core));
    Ok(rustix::thread::sched_setaffinity(None, &set)?)
}

#[cfg(not(target_os = "linux"))]
impl Cores {
    /// Not offered: the error is a sentence.
    pub fn available() -> Result<Cores, String> {
        Err("pin: this system does not pin games to cores; only Linux does".to_string())
    }

    /// Not offered.
    pub fn pin(&self, _worker: usize) -> Result<(), String> {
        Cores::available().map(drop)
    }

    /// Nothing.
    pub fn release(&self) {}
}

impl Cores {
    /// The cores for games of which so many are played at the same time. The error is a sentence.
    pub fn for_games(count: usize) -> Result<Cores, String> {
        let cores = Cores::available()?;
        match cores.numbers.len() {
            enough if enough >= count => Ok(cores),
            few => Err(format!(
                "pin: {count} games at the same time need {count} cores, and there are {few}; \
                 set concurrency to {few} or less"
            )),
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn a_pinned_thread_has_one_core_until_it_is_released() {
        let cores = Cores::available().expect("cores");
        let whole = cores.numbers.len();
        thread::spawn(move || {
            cores.pin(whole).expect("the first core again");
            let inherited = thread::spawn(Cores::available).join().expect("a thread").expect("cores");
            assert_eq!(inherited.numbers, cores.numbers[..1]);
            cores.release();
            assert_eq!(Cores::available().expect("cores").numbers, cores.numbers);
        })
        .join()
        .expect("a thread");
    }

    #[test]
    fn more_games_than_cores_are_refused() {
        let whole = Cores::available().expect("cores").numbers.len();
        assert!(Cores::for_games(whole).is_ok());
        let sentence = Cores::for_games(whole + 1).expect_err("too many");
        assert!(sentence.ends_with(&format!("set concurrency to {whole} or less")), "{sentence}");
    }
}
