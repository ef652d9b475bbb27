//! What is told to all who listen, however many, however late and however slowly.
//!
//! All that was told since a beginning is kept, and each listener reads on from where it is. So one that comes
//! later hears everything, one that is slow holds up nobody, and one that is left behind by another beginning goes on
//! with that.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What was told, for all to hear.
#[derive(Default)]
pub struct Broadcast {
    told: Mutex<Told>,
    news: Condvar,
}

#[derive(Default)]
struct Told {
    beginnings: u64,
    messages: Vec<Arc<str>>,
    is_over: bool,
    listeners: usize,
}

/// Why there is no message.
#[derive(Debug, PartialEq, Eq)]
pub enum Silence {
    /// Nothing has been told in this time.
    ForNow,
    /// Nothing will be.
    ForGood,
}

impl Broadcast {
    fn told(&self) -> MutexGuard<'_, Told> {
        // What is told is whole after every change.
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins anew with this message.
    pub fn begin(&self, first: String) {
        let mut told = self.told();
        told.beginnings += 1;
        told.messages = vec![first.into()];
        self.news.notify_all();
    }

    /// Goes on with this message.
    pub fn say(&self, message: String) {
        self.told().messages.push(message.into());
        self.news.notify_all();
    }

    /// Says a last message, and waits a moment until all have heard it.
    pub fn end(&self, last: String, moment: Duration) {
        self.say(last);
        let until = Instant::now() + moment;
        let mut told = self.told();
        told.is_over = true;
        self.news.notify_all();
        while let Some(left) = until.checked_duration_since(Instant::now())
            && told.listeners > 0
        {
            let waited = self.news.wait_timeout(told, left);
            told = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Someone who hears all from the last beginning on.
    pub fn listener(&self) -> Listener<'_> {
        self.told().listeners += 1;
        Listener {
            to: self,
            beginning: 0,
            heard: 0,
        }
    }
}

/// Someone who listens.
pub struct Listener<'a> {
    to: &'a Broadcast,
    beginning: u64,
    heard: usize,
}

impl Listener<'_> {
    /// The next message, for which it waits so long.
    pub fn next(&mut self, patience: Duration) -> Result<Arc<str>, Silence> {
        let until = Instant::now() + patience;
        let mut told = self.to.told();
        loop {
            if told.beginnings != self.beginning {
                (self.beginning, self.heard) = (told.beginnings, 0);
            }
            if let Some(message) = told.messages.get(self.heard) {
                self.heard += 1;
                return Ok(message.clone());
            }
            if told.is_over {
                return Err(Silence::ForGood);
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Silence::ForNow);
            }
            let waited = self.to.news.wait_timeout(told, left);
            told = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Drop for Listener<'_> {
    fn drop(&mut self) {
        self.to.told().listeners -= 1;
        self.to.news.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::ZERO;

    #[test]
    fn late_ones_hear_all_and_slow_ones_go_on_with_what_has_begun() {
        let broadcast = Broadcast::default();
        let mut early = broadcast.listener();
        assert_eq!(early.next(NOW), Err(Silence::ForNow));
        broadcast.begin("first".to_owned());
        broadcast.say("more".to_owned());
        let mut late = broadcast.listener();
        for listener in [&mut early, &mut late] {
            assert_eq!(listener.next(NOW).as_deref(), Ok("first"));
            assert_eq!(listener.next(NOW).as_deref(), Ok("more"));
            assert_eq!(listener.next(NOW), Err(Silence::ForNow));
        }
        broadcast.say("unheard".to_owned());
        broadcast.begin("second".to_owned());
        assert_eq!(early.next(NOW).as_deref(), Ok("second"));
        drop(late);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut early = early;
                while early.next(Duration::from_secs(10)) != Err(Silence::ForGood) {}
            });
            let began = Instant::now();
            broadcast.end("last".to_owned(), Duration::from_secs(10));
            assert!(began.elapsed() < Duration::from_secs(5));
        });
        assert_eq!(broadcast.listener().next(NOW).as_deref(), Ok("second"));
    }
}
