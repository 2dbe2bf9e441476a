//! Which one to name where a member of a volume is what limits: the member where it differs from
//! the others, the volume where they share its load evenly.
//!
//! Members are judged as in [`mod@crate::judges::balance`], level by level from the device
//! upwards. It leaves out volumes whose members share no load (parts one behind the other): there
//! the member that is busy is named, as it carries more.

use super::super::{Evidence, Fact, Judgement, MemberFact, Range};
use crate::judges::balance::{Balance, BalanceVerdict, Member};
use crate::judges::metrics::TrialMetrics;
use crate::thresholds::groups::{EVEN_RATIO, SLOW_RATIO};

/// Levels of volumes at most: no machine has as many.
const DEEPEST: usize = 8;

/// The judgement with the name of the member or of the volume above it, and why.
pub(super) fn named(metrics: &TrialMetrics, mut judgement: Judgement) -> Judgement {
    let Some(mut name) = judgement.proved.take() else { return judgement };
    for _ in 0..DEEPEST {
        let among = |one| own(one, &name).map(|own| (one, own));
        let mut related = metrics.balances.iter().filter(|one| one.is_related);
        let Some((of, own)) = related.find_map(among) else { break };
        let is_odd = is_odd(of, own);
        let is_volume = metrics.volumes.contains(&of.of);
        if is_odd || is_volume {
            judgement.evidence.extend(line(of, own, is_odd));
        }
        if is_odd || !is_volume {
            break;
        }
        name.clone_from(&of.of);
    }
    judgement.proved = Some(name);
    judgement
}

fn own<'a>(of: &'a Balance, name: &str) -> Option<&'a Member> {
    of.members.iter().find(|member| member.name == name)
}

/// Slow members take longer; without such the one that carries most differs. A standby path, which
/// carries nothing, is no fault of the others.
fn is_odd(of: &Balance, own: &Member) -> bool {
    let carries = |member: &Member| member.operations_per_sec.or(member.bytes_per_sec);
    match of.verdict {
        BalanceVerdict::SlowMembers | BalanceVerdict::UnevenAndSlow => of.slow.contains(&own.name),
        BalanceVerdict::UnevenRate if of.rate_ratio > EVEN_RATIO => {
            let most = of.members.iter().max_by(|a, b| {
                carries(a).unwrap_or_default().total_cmp(&carries(b).unwrap_or_default())
            });
            most.is_some_and(|member| member.name == own.name)
        }
        // Times of unlike requests say nothing, but that it is busy while the others rest does.
        BalanceVerdict::Unlike => of.members.iter().all(|member| {
            let [busy, own_busy] = [member, own].map(|one| one.utilisation.unwrap_or_default());
            member.name == own.name || busy * SLOW_RATIO < own_busy
        }),
        BalanceVerdict::UnevenRate | BalanceVerdict::Balanced => false,
    }
}

/// What the member did, and the others; of even members what all did.
fn line(of: &Balance, own: &Member, is_odd: bool) -> Option<Evidence> {
    let value = own.utilisation?;
    let (entity, fact) = match is_odd {
        true => (&own.name, odd(of, own)?),
        false => (&of.of, even(of)?),
    };
    let fact = Fact::Member(fact);
    Some(Evidence { entity: entity.clone(), fact, value, threshold: value })
}

fn odd(of: &Balance, own: &Member) -> Option<MemberFact> {
    let others: Vec<&Member> = of.members.iter().filter(|member| member.name != own.name).collect();
    Some(MemberFact::Odd {
        volume: of.of.clone(),
        others: others.len(),
        busy: range(&others, |member| member.utilisation)?,
        times_ns: own.service_ns_mean.zip(range(&others, |member| member.service_ns_mean)),
    })
}

fn even(of: &Balance) -> Option<MemberFact> {
    let all: Vec<&Member> = of.members.iter().collect();
    let busy = range(&all, |member| member.utilisation)?;
    Some(match &all[..] {
        [alone] => MemberFact::Alone { member: alone.name.clone(), busy: busy.most },
        _ => {
            let is_balanced = of.verdict == BalanceVerdict::Balanced;
            MemberFact::Even { members: all.len(), busy, is_balanced }
        }
    })
}

fn range(members: &[&Member], of: fn(&Member) -> Option<f64>) -> Option<Range> {
    let all = || members.iter().filter_map(|member| of(member));
    Some(Range { least: all().reduce(f64::min)?, most: all().reduce(f64::max)? })
}
