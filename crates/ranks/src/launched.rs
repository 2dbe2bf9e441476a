//! `launched`: whether this process is one of several that a launcher of MPI programs started.
//!
//! Known from the environment alone, so that a program built without MPI can refuse to run many
//! times beside itself. The variables, of which those of a process's own launcher win:
//!
//! * `OMPI_COMM_WORLD_SIZE`, `_RANK`: Open MPI's mpirun; its manual, "Environment variables set
//!   for MPI applications".
//! * `MV2_COMM_WORLD_SIZE`, `_RANK`: MVAPICH2's `mpirun_rsh`; its user guide.
//! * `PMI_SIZE`, `PMI_RANK`: the process management interface of MPICH's and Intel's mpirun
//!   (Hydra; seen under MPICH 4.0.2), of Slurm's `--mpi=pmi2`, and of Flux.
//! * `SLURM_STEP_NUM_TASKS`, `SLURM_PROCID`: Slurm's srun; srun(1), "output environment variables".
//!
//! Not taken: `SLURM_NTASKS`, which a batch script has too although it runs once, with rank 0;
//! `PMIX_RANK`, which comes without a size; `MPI_LOCALNRANKS`, which counts one host. A launcher
//! that sets none of these is not noticed.

/// One of several processes that were started together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Launched {
    /// How many were started.
    pub size: u32,
    /// Which of them this is, from 0.
    pub rank: u32,
    /// The variable that says so, for messages.
    pub variable: &'static str,
}

/// By the environment of this process.
#[must_use]
pub fn launched() -> Option<Launched> {
    launched_by(&|name| std::env::var(name).ok())
}

/// By an environment, given as the value of each variable. None where no launcher is known, or
/// where it started one process only.
#[must_use]
pub fn launched_by(value: &dyn Fn(&str) -> Option<String>) -> Option<Launched> {
    let number = |name: &str| value(name)?.trim().parse::<u32>().ok();
    let said = VARIABLES.iter().find_map(|names| {
        let size = number(names.size)?;
        Some(Launched { size, rank: number(names.rank)?, variable: names.size })
    });
    said.filter(|launched| launched.size > 1)
}

struct Names {
    size: &'static str,
    rank: &'static str,
}

/// Those of MPI's own launchers first: within a step of Slurm they started the process.
const VARIABLES: [Names; 4] = [
    Names { size: "OMPI_COMM_WORLD_SIZE", rank: "OMPI_COMM_WORLD_RANK" },
    Names { size: "MV2_COMM_WORLD_SIZE", rank: "MV2_COMM_WORLD_RANK" },
    Names { size: "PMI_SIZE", rank: "PMI_RANK" },
    Names { size: "SLURM_STEP_NUM_TASKS", rank: "SLURM_PROCID" },
];

#[cfg(test)]
mod tests {
    use super::*;

    fn by(environment: &[&str]) -> Option<Launched> {
        launched_by(&|name| {
            let rows = environment.iter().filter_map(|row| row.split_once('='));
            rows.filter(|(key, _)| *key == name).map(|(_, value)| value.to_owned()).next()
        })
    }

    #[test]
    fn each_launcher_is_known_by_its_variables() {
        let rows = [
            ["OMPI_COMM_WORLD_SIZE=4", "OMPI_COMM_WORLD_RANK=3"],
            ["PMI_SIZE=4", "PMI_RANK=3"],
            ["MV2_COMM_WORLD_SIZE=4", "MV2_COMM_WORLD_RANK=3"],
            ["SLURM_STEP_NUM_TASKS=4", "SLURM_PROCID=3"],
        ];
        for environment in rows {
            let variable = environment[0].split('=').next().unwrap();
            assert_eq!(by(&environment), Some(Launched { size: 4, rank: 3, variable }));
        }
    }

    #[test]
    fn one_process_is_not_many() {
        assert_eq!(by(&[]), None);
        assert_eq!(by(&["PMI_SIZE=1", "PMI_RANK=0"]), None);
        assert_eq!(by(&["PMI_SIZE=four", "PMI_RANK=0"]), None);
    }

    #[test]
    fn a_batch_script_of_slurm_runs_once() {
        let batch = ["SLURM_NTASKS=8", "SLURM_PROCID=0", "SLURM_JOB_ID=17"];
        assert_eq!(by(&batch), None);
    }

    /// One process of Open MPI below each of several tasks of Slurm is a world of one.
    #[test]
    fn the_launcher_nearest_to_the_process_wins() {
        let nested = [
            "SLURM_STEP_NUM_TASKS=8",
            "SLURM_PROCID=2",
            "OMPI_COMM_WORLD_SIZE=1",
            "OMPI_COMM_WORLD_RANK=0",
        ];
        assert_eq!(by(&nested), None);
    }
}
