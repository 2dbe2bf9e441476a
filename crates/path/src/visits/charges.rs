//! What one request of each leg uses up of rows, on its ways and at its end, found once.

use crate::network::{Charge, LegId, Network};

/// What a request uses up of one row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Use {
    pub row: u32,
    /// Share of the requests that do.
    pub share: f64,
    /// Bytes, operations or seconds of each.
    pub amount: f64,
}

/// The uses of all legs.
pub struct Charges {
    /// Where the parts of each leg begin: those of each of its ways, then that of its end; one more
    /// at the end.
    first: Vec<u32>,
    /// Where the uses of each part begin; one more at the end.
    parts: Vec<u32>,
    uses: Vec<Use>,
}

impl Charges {
    pub fn of(network: &Network) -> Self {
        let (mut first, mut parts, mut uses) = (vec![0], vec![0], Vec::new());
        for leg in &network.legs {
            for way in &leg.ways {
                let crossed = network.crossing(way.route, leg.op, leg.bytes);
                uses.extend(crossed.map(|charge| used(charge, way.share)));
                parts.push(uses.len() as u32);
            }
            uses.extend(merged(&leg.charges).into_iter().map(|charge| used(charge, 1.0)));
            parts.push(uses.len() as u32);
            first.push(parts.len() as u32 - 1);
        }
        Self { first, parts, uses }
    }

    /// What one request of a leg uses up.
    pub fn of_leg(&self, leg: LegId) -> &[Use] {
        let parts = self.parts_of(leg);
        &self.uses[parts[0] as usize..parts[parts.len() - 1] as usize]
    }

    /// What one request uses up on each way of a leg, then at its end.
    pub fn by_part(&self, leg: LegId) -> impl Iterator<Item = &[Use]> {
        let bounds = self.parts_of(leg).windows(2);
        bounds.map(|bounds| &self.uses[bounds[0] as usize..bounds[1] as usize])
    }

    fn parts_of(&self, leg: LegId) -> &[u32] {
        let leg = leg.0 as usize;
        &self.parts[self.first[leg] as usize..=self.first[leg + 1] as usize]
    }
}

fn used(Charge { row, amount }: Charge, share: f64) -> Use {
    Use { row: row.0, share, amount }
}

/// Several costs on one row add up, where the first of them stands.
fn merged(charges: &[Charge]) -> Vec<Charge> {
    let mut merged: Vec<Charge> = Vec::with_capacity(charges.len());
    for charge in charges {
        match merged.iter_mut().find(|kept| kept.row == charge.row) {
            Some(kept) => kept.amount += charge.amount,
            None => merged.push(*charge),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::RowId;

    #[test]
    fn costs_on_one_row_add_up_where_the_first_of_them_stands() {
        let charge = |(row, amount)| Charge { row: RowId(row), amount };
        let charges = [(5, 1.0), (2, 8.0), (5, 3.0)].map(charge);
        assert_eq!(merged(&charges), [(5, 4.0), (2, 8.0)].map(charge));
    }
}
