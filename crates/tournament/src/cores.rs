//! CPU affinity of games: a thread that is pinned to a core runs nowhere else, and nor do the processes that it starts.

/// The processor cores that this process may use.
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
        let set =
            sched_getaffinity(None).map_err(|error| format!("pin: cannot list the CPU cores: {error}"))?;
        Ok(Cores { numbers: (0..CpuSet::MAX_CPU).filter(|&core| set.is_set(core)).collect() })
    }

    /// Pins the calling thread to the core of a worker: one each, from the first again if there are more workers.
    pub fn pin(&self, worker: usize) -> Result<(), String> {
        let core = worker.checked_rem(self.numbers.len()).map(|at| self.numbers[at]);
        bind(core.into_iter()).map_err(|error| format!("pin: cannot pin a game to a CPU core: {error}"))
    }

    /// Restricts the calling thread to its share of the cores, so that a game cannot take processor time from another. One
    /// worker, or one of more workers than cores, may use all of them.
    pub fn share(&self, worker: usize, workers: usize) {
        let count = self.numbers.len().checked_div(workers).unwrap_or(0);
        let cores = match count {
            0 => &self.numbers[..],
            _ => self.numbers.chunks(count).nth(worker).unwrap_or(&self.numbers),
        };
        // Where it is refused, the thread keeps the cores that it has.
        let _ = bind(cores.iter().copied());
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
    /// Not supported on this system: the error is a sentence.
    pub fn available() -> Result<Cores, String> {
        Err("pin: pinning games to CPU cores is supported on Linux only".to_string())
    }

    /// Not supported on this system.
    pub fn pin(&self, _worker: usize) -> Result<(), String> {
        Cores::available().map(drop)
    }

    /// Does nothing on this system.
    pub fn share(&self, _worker: usize, _workers: usize) {}
}

impl Cores {
    /// The cores for `count` games at the same time, one each. The error is a sentence.
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
    fn a_pinned_thread_has_one_core_until_it_may_share_them_all() {
        let cores = Cores::available().expect("cores");
        let whole = cores.numbers.len();
        thread::spawn(move || {
            cores.pin(whole).expect("the first core again");
            let inherited = thread::spawn(Cores::available).join().expect("a thread").expect("cores");
            assert_eq!(inherited.numbers, cores.numbers[..1]);
            cores.share(0, 1);
            assert_eq!(Cores::available().expect("cores").numbers, cores.numbers);
        })
        .join()
        .expect("a thread");
    }

    #[test]
    fn each_of_several_workers_has_its_own_share_of_the_cores() {
        let all = Cores::available().expect("cores");
        let (whole, mut used) = (all.numbers.len(), Vec::new());
        for worker in 0..whole {
            let cores = all.clone();
            let restricted = thread::spawn(move || {
                cores.share(worker, whole);
                Cores::available().expect("cores").numbers
            });
            used.extend(restricted.join().expect("a thread"));
        }
        assert_eq!(used, all.numbers, "one each, and none twice");
        let crowded = all.clone();
        let free = thread::spawn(move || {
            crowded.share(0, whole + 1);
            Cores::available().expect("cores").numbers
        });
        assert_eq!(free.join().expect("a thread"), all.numbers, "more workers than cores");
    }

    #[test]
    fn more_games_than_cores_are_refused() {
        let whole = Cores::available().expect("cores").numbers.len();
        assert!(Cores::for_games(whole).is_ok());
        let sentence = Cores::for_games(whole + 1).expect_err("too many");
        assert!(sentence.ends_with(&format!("set concurrency to {whole} or less")), "{sentence}");
    }
}
