//! A small shelf: what was used last stands in front, and what nobody wants falls off the end. It refuses to grow.

/// LRU cache of at most `most` values. A name may occur more than once.
#[derive(Debug)]
pub struct Shelf<T> {
    most: usize,
    /// Most recently used first.
    kept: Vec<(String, T)>,
}

impl<T> Shelf<T> {
    pub fn of(most: usize) -> Shelf<T> {
        Shelf { most, kept: Vec::new() }
    }

    /// Removes and returns the most recently used value of this name.
    pub fn take(&mut self, name: &str) -> Option<T> {
        let place = self.kept.iter().position(|(own, _)| own == name)?;
        Some(self.kept.remove(place).1)
    }

    /// Puts one in front, beside others of its name.
    pub fn put(&mut self, name: String, thing: T) {
        self.kept.insert(0, (name, thing));
        self.kept.truncate(self.most);
    }
}

impl<T: Clone> Shelf<T> {
    /// A copy of the one of this name, which then stands in front.
    pub fn copy(&mut self, name: &str) -> Option<T> {
        let thing = self.take(name)?;
        self.put(name.to_string(), thing.clone());
        Some(thing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_wants_falls_off_the_end() {
        let mut shelf = Shelf::of(2);
        shelf.put("a".to_string(), 1);
        shelf.put("b".to_string(), 2);
        assert_eq!(shelf.copy("a"), Some(1), "now it stands in front");
        shelf.put("c".to_string(), 3);
        assert_eq!(shelf.take("b"), None);
        assert_eq!(shelf.take("a"), Some(1));
        assert_eq!(shelf.take("a"), None, "it was taken");
    }
}
