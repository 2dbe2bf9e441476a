//! Service times that vary: drawn around a mean with a coefficient of variation.
//!
//! Gamma: shape 1/cv², which is constant for cv 0, exponential for cv 1 and Erlang's for cv² a
//! whole fraction; drawn by the method of Marsaglia and Tsang (A simple method for generating
//! gamma variables, ACM TOMS 26, 2000). Uniform: mean × (1 ± √3 cv), as of an arm that goes from
//! anywhere to anywhere. Each component draws from a source of its own
//! ([`iopath_workload::Source`]), so that one more shifts nothing for the others. Correlation
//! between draws is left out.

use iopath_workload::Source;
use rand_distr::{Distribution, Exp1, Gamma};

use super::Ps;

/// How service times spread around their mean.
#[derive(Clone, Copy, Debug)]
pub struct Service(Law);

#[derive(Clone, Copy, Debug)]
enum Law {
    Constant,
    Exponential,
    /// Of mean 1.
    Gamma(Gamma<f64>),
    /// So far to either side of 1.
    Uniform(f64),
}

impl Service {
    /// Each time is the mean, and nothing is drawn.
    pub const CONSTANT: Self = Self(Law::Constant);

    /// Times of the gamma distribution. What is no coefficient of variation, or none above 0,
    /// gives [`Self::CONSTANT`].
    #[must_use]
    pub fn gamma(cv: f64) -> Self {
        let square = cv * cv;
        // What is too small for a shape is too small to be seen in picoseconds.
        let law = match Gamma::new(1.0 / square, square) {
            Ok(_) if cv == 1.0 => Law::Exponential,
            Ok(gamma) if cv > 0.0 && square.is_normal() => Law::Gamma(gamma),
            Ok(_) | Err(_) => Law::Constant,
        };
        Self(law)
    }

    /// Times that are equally likely within their range, which does not reach below 0: a
    /// coefficient of variation above 1/√3 counts as 1/√3.
    #[must_use]
    pub fn uniform(cv: f64) -> Self {
        let reach = (3.0_f64.sqrt() * cv).min(1.0);
        Self(if cv > 0.0 { Law::Uniform(reach) } else { Law::Constant })
    }

    /// The next time.
    #[must_use]
    #[inline]
    pub fn draw(&self, mean: Ps, source: &mut Source) -> Ps {
        let factor = match &self.0 {
            Law::Constant => return mean,
            Law::Exponential => Exp1.sample(source),
            Law::Gamma(gamma) => gamma.sample(source),
            Law::Uniform(reach) => 1.0 + reach * (2.0 * source.unit() - 1.0),
        };
        mean.scaled(factor)
    }
}

#[cfg(test)]
mod tests {
    use iopath_workload::Purpose;

    use super::*;

    #[test]
    fn a_constant_draws_nothing() {
        let mut source = Source::of(1, "disk[0]", Purpose::Service);
        for service in [
            Service::CONSTANT,
            Service::gamma(0.0),
            Service::gamma(-1.0),
            Service::gamma(f64::NAN),
            Service::gamma(1e-200),
            Service::gamma(f64::INFINITY),
            Service::uniform(0.0),
            Service::uniform(f64::NAN),
        ] {
            assert_eq!(service.draw(Ps(12_345), &mut source), Ps(12_345), "{service:?}");
        }
        let untouched = Source::of(1, "disk[0]", Purpose::Service).below(u64::MAX);
        assert_eq!(source.below(u64::MAX), untouched);
    }
}
