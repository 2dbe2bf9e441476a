//! How the total grows with each capacity, for small steps: all prices at once.
//!
//! Filling stops classes one after the other. The level at which a limit does so is what earlier
//! ones have left of it over what those that it stops use at level 1, so all rates are known as
//! functions of the capacities, and one pass backwards through the stops gives the derivatives by
//! all of them (the adjoint of the filling; Griewank and Walther, Evaluating Derivatives, 2008).
//! Whom two limits or caps stop at the same level, one alone does not
//! hold back. It leaves out that more of a capacity may make requests shorter.

use crate::fill::{Shares, TIE};
use crate::model::Model;
use crate::prices::Binding;
use crate::terms::{Group, Terms, What};

/// Relative growth of the total over relative growth of each.
pub(crate) struct Derivative {
    limits: Vec<f64>,
    /// Of each class whose own cap stopped it.
    caps: Vec<f64>,
}

impl Derivative {
    /// The derivatives at a solution.
    pub(crate) fn of(model: &Model<'_>, terms: &Terms, shares: &Shares) -> Self {
        let demand = &model.demand;
        let total = demand.bytes_per_sec(&shares.rates) * f64::from(demand.epochs);
        // What one more request per second of each stream of a class is worth, in bytes.
        let mut worth: Vec<f64> =
            demand.classes.iter().map(|class| class.count() * class.bytes).collect();
        let mut found = Self {
            limits: vec![0.0; demand.matrix.limits()],
            caps: vec![0.0; demand.classes.len()],
        };
        let levels = levels(model, terms, shares);
        let mut is_before = vec![true; demand.classes.len()];
        for stop in shares.stopped.chunk_by(|one, next| one.1.is_some() && one.1 == next.1).rev() {
            for (class, _) in stop {
                is_before[*class as usize] = false;
            }
            let Some(limit) = stop[0].1.map(|limit| limit as usize) else {
                let class = stop[0].0 as usize;
                if is_tied(model, terms, shares, (class, &levels)) {
                    continue;
                }
                found.caps[class] = (worth[class] * shares.rates[class] / total).max(0.0);
                continue;
            };
            let alone = |class: &&(u32, Option<u32>)| {
                let others = terms.matrix(demand).limits_of(class.0 as usize).iter();
                let mut others = others.filter(|(other, _)| *other as usize != limit);
                let level = levels[limit];
                others.all(|(other, _)| (levels[*other as usize] - level).abs() > TIE * level)
            };
            let (mut gain, mut slope) = (0.0, 0.0);
            for (class, _) in stop.iter().filter(alone) {
                gain += terms.weights[*class as usize] * worth[*class as usize];
                slope += terms.weights[*class as usize] * amount((model, terms), limit, *class);
            }
            let price = if slope > 0.0 { gain / slope } else { 0.0 };
            found.limits[limit] = (price * terms.capacity[limit] / total).max(0.0);
            for (class, amount) in terms.matrix(demand).classes_of(limit) {
                if is_before[*class as usize] {
                    worth[*class as usize] -= amount * price;
                }
            }
        }
        found
    }

    /// The price of a group.
    pub(crate) fn of_group(&self, group: Group) -> Binding {
        let list = match group.what {
            What::Limits => &self.limits,
            What::Depth | What::Wanted | What::Thread | What::Flush => &self.caps,
        };
        let price = group.members.iter().map(|member| list[*member as usize]).sum();
        Binding { group, price }
    }
}

/// Whether a class that its own cap stopped would be stopped there by something else, too: by its
/// other cap, or by a limit that is used up at the same level.
fn is_tied(
    model: &Model<'_>,
    terms: &Terms,
    shares: &Shares,
    (class, levels): (usize, &[f64]),
) -> bool {
    let reached = |most: &f64| most.is_finite() && shares.rates[class] >= most * (1.0 - TIE);
    let level = shares.rates[class] / terms.weights[class];
    let mut limits = terms.matrix(&model.demand).limits_of(class).iter();
    terms.own(class).iter().filter(|most| reached(most)).count() > 1
        || limits.any(|(limit, _)| levels[*limit as usize] <= level * (1.0 + TIE))
}

/// How much of a limit a class uses.
fn amount((model, terms): (&Model<'_>, &Terms), limit: usize, class: u32) -> f64 {
    let limits = terms.matrix(&model.demand).limits_of(class as usize).iter();
    limits.filter(|(other, _)| *other as usize == limit).map(|(_, amount)| amount).sum()
}

/// The level at which each limit is used up: that of its highest user; infinite where some is
/// left.
fn levels(model: &Model<'_>, terms: &Terms, shares: &Shares) -> Vec<f64> {
    let matrix = terms.matrix(&model.demand);
    let level = |limit: usize| {
        let users = matrix.classes_of(limit).iter().map(|(class, _)| *class as usize);
        let levels = users.map(|class| shares.rates[class] / terms.weights[class]);
        match shares.is_saturated(matrix, &terms.capacity, limit) {
            true => levels.fold(0.0, f64::max),
            false => f64::INFINITY,
        }
    };
    (0..matrix.limits()).map(level).collect()
}
