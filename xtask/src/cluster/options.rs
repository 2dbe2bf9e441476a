//! What the words after `cluster` ask for.

use std::path::PathBuf;
use std::slice::Iter;

use anyhow::{Context, Result, bail, ensure};

use super::delay::Delay;
use super::launcher::Mpi;

/// How many hosts there may be: each has a number in its address.
const MOST_HOSTS: u32 = 200;

#[derive(Debug, PartialEq)]
pub(crate) enum Task {
    Run(Run),
    Check(Check),
}

/// Ranks of one command.
#[derive(Debug, PartialEq)]
pub(crate) struct Run {
    pub ranks: u32,
    pub mpi: Mpi,
    pub shape: Shape,
    /// Instead of iopath, built for this MPI.
    pub program: Option<PathBuf>,
    /// Of the program.
    pub words: Vec<String>,
}

/// What the hosts are like.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Shape {
    pub hosts: u32,
    /// Of each packet between two hosts.
    pub delay: Option<Delay>,
    /// Of each host, in and out, as tc writes it.
    pub rate: Option<String>,
    /// How much longer each host has been up than the one before.
    pub skew_s: u32,
    /// Size of a disk of each host's own, as truncate writes it.
    pub disk: Option<String>,
}

/// The proof that ranks on many hosts do what they promise.
#[derive(Debug, PartialEq)]
pub(crate) struct Check {
    /// Those that are wanted; all where none is named.
    pub only: Vec<String>,
    /// The one that is asked for; both where none is.
    pub mpi: Option<Mpi>,
    /// How often a rank is killed.
    pub kills: u32,
    /// How many do nothing but talk to each other.
    pub crowd: u32,
    pub seed: u64,
    pub program: Option<PathBuf>,
}

/// A day: no clock is taken for another by mistake. Chosen.
const SKEW_S: u32 = 86_400;

const RUN: &str = "-n N, --hosts N, --mpi openmpi|mpich, --delay 1ms±0.5ms, --rate 100mbit, \
                   --skew SECONDS, --disk 256M, --program FILE and -- WORDS…";
const CHECK: &str =
    "--only PART, --mpi openmpi|mpich, --kills N, --ranks N, --seed N and --program FILE";

impl Task {
    pub(crate) fn parse(words: &[&str]) -> Result<Self> {
        match words {
            ["run", words @ ..] => Run::parse(words).map(Self::Run),
            ["check", words @ ..] => Check::parse(words).map(Self::Check),
            _ => bail!("cluster {}: there are `run` and `check`", words.join(" ")),
        }
    }

    /// MPIs that are used, and a program that is given.
    pub(crate) fn program(&self) -> Option<&PathBuf> {
        match self {
            Self::Run(run) => run.program.as_ref(),
            Self::Check(check) => check.program.as_ref(),
        }
    }

    pub(crate) fn uses(&self, mpi: Mpi) -> bool {
        match self {
            Self::Run(run) => run.mpi == mpi,
            Self::Check(check) => check.uses(mpi),
        }
    }
}

impl Run {
    fn parse(words: &[&str]) -> Result<Self> {
        let mut run = Self {
            ranks: 0,
            mpi: Mpi::OpenMpi,
            shape: Shape { skew_s: SKEW_S, ..Shape::default() },
            program: None,
            words: Vec::new(),
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if *word == "--" {
                run.words = words.map(|word| (*word).to_owned()).collect();
                break;
            }
            run.option(word, &mut words)?;
        }
        ensure!(run.ranks > 0, "-n N is missing: how many ranks");
        ensure!(!run.words.is_empty(), "the program's words are missing: -- measure STUDY");
        let hosts = &mut run.shape.hosts;
        *hosts = if *hosts == 0 { run.ranks } else { *hosts };
        ensure!(*hosts <= run.ranks, "--hosts {hosts}: there are only {} ranks", run.ranks);
        ensure!(*hosts <= MOST_HOSTS, "at most {MOST_HOSTS} hosts; --hosts N takes fewer");
        Ok(run)
    }

    fn option(&mut self, word: &str, words: &mut Iter<'_, &str>) -> Result<()> {
        let known =
            ["-n", "--hosts", "--mpi", "--delay", "--rate", "--skew", "--disk", "--program"];
        ensure!(known.contains(&word), "no such option: {word}; there are {RUN}");
        let value = value(word, words)?;
        match word {
            "-n" => self.ranks = number(word, value)?,
            "--hosts" => self.shape.hosts = number(word, value)?,
            "--mpi" => self.mpi = Mpi::parse(value)?,
            "--delay" => self.shape.delay = Some(Delay::parse(value)?),
            "--rate" => self.shape.rate = Some(value.to_owned()),
            "--skew" => self.shape.skew_s = number(word, value)?,
            "--disk" => self.shape.disk = Some(value.to_owned()),
            _ => self.program = Some(PathBuf::from(value)),
        }
        Ok(())
    }
}

impl Check {
    fn parse(words: &[&str]) -> Result<Self> {
        let mut check =
            Self { only: Vec::new(), mpi: None, kills: 5, crowd: 16, seed: 1, program: None };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let known = ["--only", "--mpi", "--kills", "--ranks", "--seed", "--program"];
            ensure!(known.contains(word), "no such option: {word}; there are {CHECK}");
            let value = value(word, &mut words)?;
            match *word {
                "--only" => check.only.push(value.to_owned()),
                "--mpi" => check.mpi = Some(Mpi::parse(value)?),
                "--kills" => check.kills = number(word, value)?,
                "--ranks" => check.crowd = number(word, value)?,
                "--seed" => check.seed = number(word, value)?.into(),
                _ => check.program = Some(PathBuf::from(value)),
            }
        }
        super::check::known(&check.only)?;
        // A program is built for one of them.
        check.mpi = check.mpi.or(check.program.as_ref().map(|_| Mpi::OpenMpi));
        Ok(check)
    }

    pub(crate) fn uses(&self, mpi: Mpi) -> bool {
        self.mpi.is_none_or(|asked| asked == mpi)
    }

    pub(crate) fn wants(&self, part: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|one| one == part)
    }
}

fn value<'w>(word: &str, words: &mut Iter<'_, &'w str>) -> Result<&'w str> {
    words.next().copied().with_context(|| format!("{word}: a value is missing"))
}

fn number(word: &str, value: &str) -> Result<u32> {
    value.parse().with_context(|| format!("{word} {value}: no whole number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(words: &[&str]) -> String {
        format!("{:#}", Task::parse(words).unwrap_err())
    }

    #[test]
    fn what_follows_two_dashes_is_the_program_s() {
        let words = ["run", "-n", "4", "--hosts", "2", "--delay", "1ms", "--", "measure", "-n"];
        let Task::Run(run) = Task::parse(&words).unwrap() else { panic!("no run") };
        assert_eq!((run.ranks, run.shape.hosts, run.mpi), (4, 2, Mpi::OpenMpi));
        assert_eq!(run.words, ["measure", "-n"]);
        assert_eq!(run.shape.skew_s, SKEW_S);
    }

    #[test]
    fn each_rank_has_a_host_where_nobody_says_otherwise() {
        let Task::Run(run) = Task::parse(&["run", "-n", "3", "--", "x"]).unwrap() else {
            panic!("no run")
        };
        assert_eq!(run.shape.hosts, 3);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        assert_eq!(refusal(&["run", "--", "x"]), "-n N is missing: how many ranks");
        assert!(refusal(&["run", "-n", "2"]).starts_with("the program's words are missing"));
        assert_eq!(
            refusal(&["run", "-n", "2", "--hosts", "3", "--", "x"]),
            "--hosts 3: there are only 2 ranks"
        );
        assert!(refusal(&["check", "--only", "x"]).starts_with("no such part: x; there are"));
        assert_eq!(refusal(&["walk"]), "cluster walk: there are `run` and `check`");
    }
}
