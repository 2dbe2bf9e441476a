//! Values in numbered places that are used again.
//!
//! A place that was left last is taken first: it is still in the cache, and the same calls give
//! the same numbers. Memory grows to the most values that there ever are at a time and is kept,
//! so that a steady state allocates nothing. A number that outlives its value finds the next one
//! in its place; it leaves out telling the two apart.

use std::ops::{Index, IndexMut};

/// Values by their number.
#[derive(Clone, Debug)]
pub struct Slab<T> {
    places: Vec<Option<T>>,
    /// Places that were left, the last one last.
    left: Vec<u32>,
}

impl<T> Slab<T> {
    /// Puts a value into a place and tells its number.
    ///
    /// # Panics
    ///
    /// With 2^32 values.
    #[inline]
    pub fn insert(&mut self, value: T) -> u32 {
        if let Some(number) = self.left.pop() {
            self.places[number as usize] = Some(value);
            return number;
        }
        let number = u32::try_from(self.places.len()).expect("numbers of places have 32 bits");
        self.places.push(Some(value));
        number
    }

    /// Takes a value away; none where there is none.
    #[inline]
    pub fn remove(&mut self, number: u32) -> Option<T> {
        let value = self.places.get_mut(number as usize)?.take()?;
        self.left.push(number);
        Some(value)
    }

    /// The value of a number; none where there is none.
    #[must_use]
    #[inline]
    pub fn find(&self, number: u32) -> Option<&T> {
        self.places.get(number as usize)?.as_ref()
    }

    /// The same, to be changed.
    #[must_use]
    #[inline]
    pub fn find_mut(&mut self, number: u32) -> Option<&mut T> {
        self.places.get_mut(number as usize)?.as_mut()
    }

    /// All values with their numbers, in the order of these.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        (0..).zip(&self.places).filter_map(|(number, value)| Some((number, value.as_ref()?)))
    }
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self { places: Vec::new(), left: Vec::new() }
    }
}

/// Panics where there is no value.
impl<T> Index<u32> for Slab<T> {
    type Output = T;
    #[inline]
    fn index(&self, number: u32) -> &T {
        self.find(number).expect("a number is used as long as its value is there")
    }
}

impl<T> IndexMut<u32> for Slab<T> {
    #[inline]
    fn index_mut(&mut self, number: u32) -> &mut T {
        self.find_mut(number).expect("a number is used as long as its value is there")
    }
}
