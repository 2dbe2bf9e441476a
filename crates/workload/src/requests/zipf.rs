//! Ranks by Zipf's law: rank k of n comes with probability proportional to k^-θ, for any θ of 0
//! (all alike) and more, 1 included.
//!
//! Rejection-inversion (Hörmann, Derflinger: Rejection-inversion to generate variates from
//! monotone discrete distributions, ACM TOMACS 6, 1996, algorithm ZRI): a hat with area
//! `H(x) = ∫ x^-θ dx` is inverted, its result rounded to a rank and, in few cases, refused. It is
//! exact, and its time and memory depend on neither n nor θ.

use crate::random::Source;

/// Draws ranks from 1 to `ranks`.
#[derive(Clone, Debug)]
pub(super) struct Zipf {
    hat: Hat,
    ranks: u64,
    /// Area left of the first rank and of the last one's end.
    low: f64,
    high: f64,
    /// A result this close below its rank needs no test.
    close: f64,
}

impl Zipf {
    /// Zipf's law over this many ranks, at least 1, with exponent `theta`.
    pub(super) fn new(ranks: u64, theta: f64) -> Self {
        let hat = Hat { theta, rest: 1.0 - theta, inverse: 1.0 / (1.0 - theta) };
        Self {
            ranks,
            // The first rank is a bar of height 1 that ends at 1.5.
            low: hat.area(1.5) - 1.0,
            high: hat.area(ranks as f64 + 0.5),
            close: 2.0 - hat.inverse_area(hat.area(2.5) - hat.height(2.0)),
            hat,
        }
    }

    /// The next rank.
    #[inline]
    pub(super) fn draw(&self, source: &mut Source) -> u64 {
        loop {
            let area = self.high + source.unit() * (self.low - self.high);
            let x = self.hat.inverse_area(area);
            // Rounding errors reach over the ends.
            let rank = ((x + 0.5) as u64).clamp(1, self.ranks);
            let k = rank as f64;
            if k - x <= self.close || self.hat.area(k + 0.5) - self.hat.height(k) <= area {
                return rank;
            }
        }
    }
}

/// The curve x^-θ above the bars of all ranks.
#[derive(Clone, Debug)]
struct Hat {
    theta: f64,
    /// 1 - θ; where it is not 0 it is at least a millionth, so 10 digits of areas are right.
    rest: f64,
    inverse: f64,
}

impl Hat {
    #[inline]
    fn height(&self, x: f64) -> f64 {
        x.powf(-self.theta)
    }

    #[inline]
    fn area(&self, x: f64) -> f64 {
        if self.rest == 0.0 { x.ln() } else { x.powf(self.rest) * self.inverse }
    }

    #[inline]
    fn inverse_area(&self, area: f64) -> f64 {
        if self.rest == 0.0 { area.exp() } else { (area * self.rest).powf(self.inverse) }
    }
}
