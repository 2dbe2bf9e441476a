//! A bound with everything that is told of it.

use iopath_path::Covers;
use iopath_record::BoundKind;

use crate::fill::Shares;
use crate::leaves_out::leaves_out;
use crate::model::Model;
use crate::prices::{Binding, binding};
use crate::terms::{Terms, What};
use crate::upgrades::{Step, upgrades};

/// The shares on the terms of one bound.
pub(crate) struct Solution {
    pub kind: BoundKind,
    pub shares: Shares,
    pub binding: Vec<Binding>,
    pub upgrades: Vec<Step>,
    pub leaves_out: Vec<String>,
}

impl Solution {
    pub(crate) fn of(model: &Model<'_>, kind: BoundKind, terms: &Terms) -> Self {
        let alone = Self::alone(model, kind, terms);
        let shares = &alone.shares;
        let is_finite = shares.rates.iter().all(|rate| rate.is_finite());
        let binding = if is_finite { binding(model, terms, shares) } else { Vec::new() };
        let upgrades = upgrades(model, terms, (shares.clone(), binding.clone()));
        Self { binding, upgrades, ..alone }
    }

    /// The shares without what binds and what more of it would give.
    pub(crate) fn alone(model: &Model<'_>, kind: BoundKind, terms: &Terms) -> Self {
        let shares = terms.solve(&model.demand);
        let leaves_out = leaves_out(model, kind);
        Self { kind, shares, binding: Vec::new(), upgrades: Vec::new(), leaves_out }
    }

    /// Whether something limits every stream.
    pub(crate) fn is_finite(&self, model: &Model<'_>) -> bool {
        model.demand.bytes_per_sec(&self.shares.rates).is_finite()
    }

    /// Whether each of the network's streams waits for flushes that are requests of their own.
    pub(crate) fn waits_for_flushes(&self, model: &Model<'_>) -> Vec<bool> {
        let mut waits = vec![false; model.network.streams.len()];
        let Some((_, terms)) = model.terms.iter().find(|(kind, _)| *kind == self.kind) else {
            return waits;
        };
        for (at, class) in model.demand.classes.iter().enumerate() {
            let is_own = class.flushing.is_some_and(|flushing| flushing.covers != Covers::Itself);
            let is_bound = is_own && terms.binds(&model.demand, &self.shares, What::Flush, at);
            class.streams.iter().for_each(|position| waits[*position] = is_bound);
        }
        waits
    }

    /// Requests per second of each of the network's streams.
    pub(crate) fn rates(&self, model: &Model<'_>) -> Vec<f64> {
        let mut rates = vec![0.0; model.network.streams.len()];
        for (class, rate) in model.demand.classes.iter().zip(&self.shares.rates) {
            class.streams.iter().for_each(|position| rates[*position] = *rate);
        }
        rates
    }
}
