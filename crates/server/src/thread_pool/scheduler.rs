//! Which job runs next: a plain value without threads, tasks or a clock of its own.
//!
//! Start-time fair queueing (Goyal, Vin and Cheng, 1996) by visitor. Each visitor has a start tag: the thinking time it
//! has been charged, in virtual time. The visitor with the smallest tag is served next, so every visitor that waits gets
//! the same share, however many jobs it has. A new visitor begins at the virtual time, which is the tag of the latest job
//! that was started in this order: it is neither charged for the past nor given credit for it. A job is charged its
//! expected cost when it starts and its real cost when it ends.
//!
//! Of one visitor's jobs the one with the earliest arrival plus expected cost is served first: short jobs overtake long
//! ones, and a long one waits for jobs that arrive within its own cost only.
//!
//! Jobs are not interrupted. So long jobs may occupy all threads but one, which is there for short jobs.

use std::{
    collections::{BTreeMap, HashMap},
    net::IpAddr,
    time::Duration,
};

/// A job with a higher expected cost is a long one.
pub const SHORT: Duration = Duration::from_secs(1);

pub type JobId = u64;

/// A moment, as the time since the scheduler was created.
pub type Moment = Duration;

/// The scheduler: the waiting and running jobs, by visitor.
#[derive(Debug)]
pub struct Scheduler {
    /// Threads for long jobs; one more is for short ones.
    threads: usize,
    waiting: BTreeMap<JobId, Job>,
    running: HashMap<JobId, Job>,
    visitors: HashMap<IpAddr, Visitor>,
    virtual_time: Duration,
    next: JobId,
}

#[derive(Clone, Copy, Debug)]
struct Job {
    visitor: IpAddr,
    cost: Duration,
    /// The time of arrival; for a running job, the time at which it started.
    since: Moment,
}

impl Job {
    fn is_long(&self) -> bool {
        self.cost > SHORT
    }
}

#[derive(Clone, Copy, Debug)]
struct Visitor {
    /// Start tag: the thinking time charged so far, in virtual time.
    tag: Duration,
    /// Number of waiting and running jobs.
    jobs: usize,
}

impl Scheduler {
    /// A scheduler that runs at most this many long jobs, and one job more, at the same time.
    pub fn new(threads: usize) -> Scheduler {
        Scheduler {
            threads: threads.max(1),
            waiting: BTreeMap::new(),
            running: HashMap::new(),
            visitors: HashMap::new(),
            virtual_time: Duration::ZERO,
            next: 0,
        }
    }

    pub fn push(&mut self, visitor: IpAddr, cost: Duration, now: Moment) -> JobId {
        let begin = self.virtual_time;
        let account = self.visitors.entry(visitor).or_insert(Visitor { tag: begin, jobs: 0 });
        if account.jobs == 0 {
            account.tag = account.tag.max(begin);
        }
        account.jobs += 1;
        self.next += 1;
        self.waiting.insert(self.next, Job { visitor, cost, since: now });
        self.next
    }

    /// Starts the next job, if a thread is free for one that waits.
    pub fn start(&mut self, now: Moment) -> Option<JobId> {
        if self.running.len() > self.threads {
            return None;
        }
        let long = self.running.values().filter(|job| job.is_long()).count();
        let may_start = |job: &Job| !job.is_long() || long < self.threads;
        let first = self.waiting.iter().min_by_key(|(id, job)| self.priority(**id, job)).map(|(id, _)| *id);
        let eligible = self.waiting.iter().filter(|(_, job)| may_start(job));
        let id = eligible.min_by_key(|(id, job)| self.priority(**id, job)).map(|(id, _)| *id)?;
        let job = self.waiting.remove(&id)?;
        if let Some(account) = self.visitors.get_mut(&job.visitor) {
            // A short job that overtakes long ones does not change the virtual time.
            if first == Some(id) {
                self.virtual_time = self.virtual_time.max(account.tag);
            }
            account.tag += job.cost;
        }
        self.running.insert(id, Job { since: now, ..job });
        Some(id)
    }

    fn priority(&self, id: JobId, job: &Job) -> (Duration, Duration, JobId) {
        let tag = self.visitors.get(&job.visitor).map_or(self.virtual_time, |account| account.tag);
        (tag, job.since + job.cost, id)
    }

    /// Removes a job: one that has ended, or one that is not wanted any more.
    pub fn remove(&mut self, id: JobId, now: Moment) {
        let (job, ran) = match (self.waiting.remove(&id), self.running.remove(&id)) {
            (Some(job), _) => (job, None),
            (None, Some(job)) => (job, Some(now.saturating_sub(job.since))),
            (None, None) => return,
        };
        if let Some(account) = self.visitors.get_mut(&job.visitor) {
            account.jobs -= 1;
            if let Some(ran) = ran {
                account.tag = account.tag.saturating_sub(job.cost) + ran;
            }
        }
        self.forget();
    }

    /// Removes visitors without jobs whose tag is not ahead of the virtual time, because they would start at the
    /// virtual time anyway. Without any jobs, all visitors are removed.
    fn forget(&mut self) {
        if self.waiting.is_empty() && self.running.is_empty() {
            self.visitors.clear();
            self.virtual_time = Duration::ZERO;
        }
        let now = self.virtual_time;
        self.visitors.retain(|_, account| account.jobs > 0 || account.tag > now);
    }

    pub fn is_waiting(&self, id: JobId) -> bool {
        self.waiting.contains_key(&id)
    }

    /// The place of every waiting job, 1 for the next. Long jobs do not delay short ones, so a short job is counted among
    /// the short ones only.
    pub fn places(&self) -> HashMap<JobId, usize> {
        let mut by_visitor: HashMap<IpAddr, Vec<(JobId, Job)>> = HashMap::new();
        for (id, job) in &self.waiting {
            by_visitor.entry(job.visitor).or_default().push((*id, *job));
        }
        let mut order = Vec::with_capacity(self.waiting.len());
        for (visitor, mut jobs) in by_visitor {
            jobs.sort_by_key(|(id, job)| (job.since + job.cost, *id));
            let mut tag = self.visitors.get(&visitor).map_or(self.virtual_time, |account| account.tag);
            for (id, job) in jobs {
                order.push((tag, job.since + job.cost, id, job.is_long()));
                tag += job.cost;
            }
        }
        order.sort_unstable();
        let mut short = 0;
        let place = |(i, (_, _, id, is_long)): (usize, (Duration, Duration, JobId, bool))| {
            short += usize::from(!is_long);
            (id, if is_long { i + 1 } else { short })
        };
        order.into_iter().enumerate().map(place).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(10);
    const QUICK: Duration = Duration::from_millis(100);

    fn visitor(last: u8) -> IpAddr {
        IpAddr::from([10, 0, 0, last])
    }

    fn seconds(count: u64) -> Duration {
        Duration::from_secs(count)
    }

    fn started(scheduler: &mut Scheduler, now: Moment) -> Vec<JobId> {
        std::iter::from_fn(|| scheduler.start(now)).collect()
    }

    #[test]
    fn long_jobs_leave_one_thread_to_short_ones() {
        let mut scheduler = Scheduler::new(2);
        let long: Vec<JobId> = (0..50).map(|_| scheduler.push(visitor(1), LONG, seconds(0))).collect();
        assert_eq!(started(&mut scheduler, seconds(0)), long[..2]);
        let short = scheduler.push(visitor(2), QUICK, seconds(1));
        assert_eq!(started(&mut scheduler, seconds(1)), [short]);
        let next = scheduler.push(visitor(3), QUICK, seconds(1));
        assert_eq!(scheduler.start(seconds(1)), None, "all threads are busy");
        scheduler.remove(short, seconds(2));
        assert_eq!(started(&mut scheduler, seconds(2)), [next]);
    }

    #[test]
    fn a_single_thread_still_runs_long_and_short_jobs() {
        let mut scheduler = Scheduler::new(1);
        let long = scheduler.push(visitor(1), LONG, seconds(0));
        scheduler.push(visitor(1), LONG, seconds(0));
        let short = scheduler.push(visitor(1), QUICK, seconds(0));
        let mut both = started(&mut scheduler, seconds(0));
        both.sort_unstable();
        assert_eq!(both, [long, short]);
    }

    #[test]
    fn a_newcomer_passes_the_queue_of_a_greedy_visitor() {
        let mut scheduler = Scheduler::new(2);
        let greedy: Vec<JobId> = (0..50).map(|_| scheduler.push(visitor(1), LONG, seconds(0))).collect();
        started(&mut scheduler, seconds(0));
        let honest = scheduler.push(visitor(2), LONG, seconds(60));
        assert_eq!(scheduler.places()[&honest], 1);
        assert_eq!(scheduler.places()[&greedy[2]], 2);
        scheduler.remove(greedy[0], seconds(60));
        assert_eq!(started(&mut scheduler, seconds(60)), [honest]);
    }

    #[test]
    fn visitors_get_equal_time_whatever_their_jobs_cost() {
        let mut scheduler = Scheduler::new(1);
        let mut owners = HashMap::new();
        for _ in 0..100 {
            owners.insert(scheduler.push(visitor(1), seconds(8), seconds(0)), 0);
            owners.insert(scheduler.push(visitor(2), seconds(2), seconds(0)), 1);
        }
        let (mut now, mut time) = (seconds(0), [Duration::ZERO; 2]);
        while now < seconds(200) {
            let id = scheduler.start(now).expect("a job");
            let cost = scheduler.running[&id].cost;
            now += cost;
            time[owners[&id]] += cost;
            scheduler.remove(id, now);
        }
        let difference = time[0].abs_diff(time[1]);
        assert!(difference <= seconds(8), "{time:?}");
    }

    #[test]
    fn a_visitor_is_charged_what_its_jobs_really_cost() {
        let mut scheduler = Scheduler::new(1);
        // It announces 2 s and takes 20.
        let cheat = scheduler.push(visitor(1), seconds(2), seconds(0));
        scheduler.push(visitor(1), seconds(2), seconds(0));
        assert_eq!(scheduler.start(seconds(0)), Some(cheat));
        let honest: Vec<JobId> = (0..6).map(|_| scheduler.push(visitor(2), seconds(3), seconds(0))).collect();
        let mut now = seconds(20);
        scheduler.remove(cheat, now);
        for job in honest {
            assert_eq!(scheduler.start(now), Some(job), "after {now:?}");
            now += seconds(3);
            scheduler.remove(job, now);
        }
    }

    #[test]
    fn a_debt_is_not_forgotten_by_leaving_and_coming_back() {
        let mut scheduler = Scheduler::new(1);
        let own = scheduler.push(visitor(1), LONG, seconds(0));
        scheduler.push(visitor(2), LONG, seconds(0));
        let other = scheduler.push(visitor(2), LONG, seconds(0));
        assert_eq!(scheduler.start(seconds(0)), Some(own));
        scheduler.remove(own, seconds(10));
        scheduler.push(visitor(1), LONG, seconds(10));
        let next = scheduler.start(seconds(10)).expect("a job");
        assert_ne!(next, other + 1, "the other visitor has had nothing yet");
    }

    #[test]
    fn of_one_visitor_the_short_job_comes_first_but_not_for_ever() {
        let mut scheduler = Scheduler::new(1);
        let running = scheduler.push(visitor(1), LONG, seconds(0));
        scheduler.start(seconds(0));
        let long = scheduler.push(visitor(1), seconds(9), seconds(0));
        let shorter = scheduler.push(visitor(1), seconds(2), seconds(1));
        let late = scheduler.push(visitor(1), seconds(2), seconds(8));
        let mut order = Vec::new();
        let mut last = running;
        for now in [10, 12, 21] {
            scheduler.remove(last, seconds(now));
            last = scheduler.start(seconds(now)).expect("a job");
            order.push(last);
        }
        assert_eq!(order, [shorter, long, late]);
    }

    #[test]
    fn a_job_that_is_not_wanted_any_more_leaves_the_queue() {
        let mut scheduler = Scheduler::new(1);
        let jobs: Vec<JobId> = (0..3).map(|_| scheduler.push(visitor(1), LONG, seconds(0))).collect();
        scheduler.start(seconds(0));
        scheduler.remove(jobs[1], seconds(1));
        assert_eq!(scheduler.places(), HashMap::from([(jobs[2], 1)]));
        scheduler.remove(jobs[0], seconds(2));
        assert_eq!(scheduler.start(seconds(2)), Some(jobs[2]));
    }

    #[test]
    fn a_short_job_is_counted_among_short_ones() {
        let mut scheduler = Scheduler::new(1);
        for _ in 0..5 {
            scheduler.push(visitor(1), LONG, seconds(0));
        }
        scheduler.start(seconds(0));
        let _running = scheduler.push(visitor(2), QUICK, seconds(0));
        started(&mut scheduler, seconds(0));
        let short = scheduler.push(visitor(1), QUICK, seconds(0));
        assert_eq!(scheduler.places()[&short], 1);
    }

    #[test]
    fn nothing_is_left_when_all_jobs_have_ended() {
        let mut scheduler = Scheduler::new(2);
        let jobs: Vec<JobId> = (0..9).map(|i| scheduler.push(visitor(i), LONG, seconds(0))).collect();
        started(&mut scheduler, seconds(0));
        for id in jobs {
            scheduler.remove(id, seconds(5));
        }
        assert!(scheduler.visitors.is_empty() && scheduler.virtual_time.is_zero());
    }
}
