//! Solves a linear program, and believes the solution only if it proves itself.
//!
//! By the interior point method of Clarabel (Goulart and Chen, 2024). It ends in the middle of all
//! optima, so that co-bottlenecks share the price; a simplex method would end at one of them and
//! name some of the co-bottlenecks only. What it ends with is checked here: the prices give an
//! upper bound whatever the solver says of itself, and the values must come near to it.

use clarabel::algebra::CscMatrix;
use clarabel::solver::SupportedConeT::{NonnegativeConeT, ZeroConeT};
use clarabel::solver::{
    DefaultSettings, DefaultSettingsBuilder, DefaultSolution, DefaultSolver, IPSolver, SolverStatus,
};

use super::Unsolved;
use super::program::{Entry, Program, Relation, Solution};
use super::scale::{self, Proof, Scaled};

/// What the solver aims at (chosen: ten times finer than what is wanted).
const TOLERANCE: f64 = 1e-10;

/// How much of the total a solution may be off (chosen: what rounding to eight digits hides).
const ACCEPTED: f64 = 1e-8;

/// Up to which difference limits bind together (chosen: above the rounding of sums).
const TIE: f64 = 1e-9;

/// Finds the optimum.
pub(super) fn solve(program: &Program) -> Result<Solution, Unsolved> {
    match program.worth[..] {
        [worth] if worth > 0.0 => solve_one(program, worth),
        _ => solve_many(program),
    }
}

/// The optimum of one column: up to the nearest limits, which share the price.
fn solve_one(program: &Program, worth: f64) -> Result<Solution, Unsolved> {
    let most = |entry: &Entry| match program.relations[entry.row as usize] {
        Relation::AtMost(limit) => limit / entry.factor,
        Relation::Balanced => 0.0,
    };
    let value = program.entries.iter().map(most).fold(f64::INFINITY, f64::min);
    if value.is_infinite() {
        return Err(Unsolved::Unlimited);
    }
    let binding = program.entries.iter().filter(|entry| most(entry) <= value * (1.0 + TIE));
    let binding: Vec<&Entry> = binding.collect();
    let mut prices = vec![0.0; program.relations.len()];
    for entry in &binding {
        prices[entry.row as usize] = worth / entry.factor / binding.len() as f64;
    }
    Ok(Solution { total: worth * value, values: vec![value], prices })
}

/// Solves in units that fit what can flow, and again in better ones if a first bound shows that
/// they did not.
fn solve_many(program: &Program) -> Result<Solution, Unsolved> {
    let mut most = scale::most(program);
    loop {
        let scaled = Scaled::of(program, &most);
        if scaled.worth == 0.0 {
            return Ok(Solution::nothing(program));
        }
        let attempt = attempt(&scaled)?;
        let Proof { at_most, gap } = attempt.proof;
        // Not a number is not accepted either.
        if gap <= ACCEPTED {
            return Ok(scaled.unscale(at_most, &attempt.values, &attempt.prices));
        }
        if !scale::narrow(program, at_most * scaled.worth, &mut most) {
            return Err(Unsolved::Unproven { stop: format!("{:?}", attempt.status), gap });
        }
    }
}

struct Attempt {
    status: SolverStatus,
    values: Vec<f64>,
    prices: Vec<f64>,
    proof: Proof,
}

fn attempt(scaled: &Scaled) -> Result<Attempt, Unsolved> {
    let order = Order::of(&scaled.program);
    let end = run(&scaled.program, &order);
    let status = end.status;
    if matches!(status, SolverStatus::DualInfeasible | SolverStatus::AlmostDualInfeasible) {
        return Err(Unsolved::Unlimited);
    }
    let values: Vec<f64> = end.x.iter().map(|value| value.max(0.0)).collect();
    let prices = order.prices(&scaled.program, &end.z);
    let proof = scaled.prove(&values, &prices);
    Ok(Attempt { status, values, prices, proof })
}

/// Where each row stands for the solver: balances, then limits, then what no column is below.
struct Order {
    place: Vec<u32>,
    balances: usize,
    limits: usize,
}

impl Order {
    fn of(program: &Program) -> Self {
        let is_balance = |relation: &&Relation| **relation == Relation::Balanced;
        let balances = program.relations.iter().filter(is_balance).count();
        let (mut next_balance, mut next_limit) = (0, balances as u32);
        let place = program.relations.iter().map(|relation| {
            let next = match relation {
                Relation::Balanced => &mut next_balance,
                Relation::AtMost(_) => &mut next_limit,
            };
            *next += 1;
            *next - 1
        });
        let place = place.collect();
        Self { place, balances, limits: program.relations.len() - balances }
    }

    /// The price of each row; that of a limit is not negative.
    fn prices(&self, program: &Program, duals: &[f64]) -> Vec<f64> {
        let rows = program.relations.iter().zip(&self.place);
        let prices = rows.map(|(relation, &place)| match relation {
            Relation::Balanced => duals[place as usize],
            Relation::AtMost(_) => duals[place as usize].max(0.0),
        });
        prices.collect()
    }
}

/// Gives the program to the solver: the least `-worth · x`, with limits written as sums that are
/// at most something, so that their duals are prices.
fn run(program: &Program, order: &Order) -> DefaultSolution<f64> {
    let (columns, rows) = (program.worth.len(), program.relations.len());
    let mut triplets: Vec<(usize, usize, f64)> = Vec::new();
    for entry in &program.entries {
        let place = order.place[entry.row as usize] as usize;
        triplets.push((place, entry.column as usize, entry.factor));
    }
    triplets.extend((0..columns).map(|column| (rows + column, column, -1.0)));
    let matrix = CscMatrix::new_from_triplets(
        rows + columns,
        columns,
        triplets.iter().map(|&(row, ..)| row).collect(),
        triplets.iter().map(|&(_, column, _)| column).collect(),
        triplets.iter().map(|&(.., factor)| factor).collect(),
    );
    let least: Vec<f64> = program.worth.iter().map(|worth| -worth).collect();
    let mut limits = vec![0.0; rows + columns];
    limits[order.balances..rows].fill(1.0);
    let cones = [ZeroConeT(order.balances), NonnegativeConeT(order.limits + columns)];
    let no_squares = CscMatrix::zeros((columns, columns));
    let mut solver = DefaultSolver::new(&no_squares, &least, &matrix, &limits, &cones, settings())
        .expect("the shapes agree");
    solver.solve();
    solver.solution
}

fn settings() -> DefaultSettings<f64> {
    DefaultSettingsBuilder::default()
        .verbose(false)
        .max_threads(1)
        .tol_gap_abs(TOLERANCE)
        .tol_gap_rel(TOLERANCE)
        .tol_feas(TOLERANCE)
        .build()
        .expect("the settings are valid")
}
