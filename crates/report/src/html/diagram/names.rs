//! Names of boxes side by side, shortened so that what tells them apart stays.

use super::text::{BOLD, cut, tail, width};

/// A name with the room that it has.
pub(super) struct Named<'a> {
    pub name: &'a str,
    pub room: f64,
}

/// What fits of each name: its end, or where ends are equal the parts that differ and the last one.
pub(super) fn fitted(all: &[Named<'_>]) -> Vec<String> {
    let tails: Vec<String> = all.iter().map(|one| tail(one.name, one.room, BOLD)).collect();
    let short = |(one, own): (&Named<'_>, &String)| {
        let is_shared = tails.iter().filter(|other| *other == own).count() > 1;
        let apart = || apart(one, all).filter(|_| own != one.name);
        is_shared.then(apart).flatten().unwrap_or_else(|| own.clone())
    };
    all.iter().zip(&tails).map(short).collect()
}

/// `…[2].…[1].…disk[0]` of `fastt[2].controller[1].lun.disk[0]`; none where no part above the last
/// differs from that of another name.
fn apart(one: &Named<'_>, all: &[Named<'_>]) -> Option<String> {
    let parts: Vec<&str> = one.name.split('.').collect();
    let (last, above) = parts.split_last()?;
    let differs =
        |at: usize| all.iter().any(|other| other.name.split('.').nth(at) != Some(parts[at]));
    let kept: Vec<&str> = (0..above.len()).filter(|at| differs(*at)).map(|at| above[at]).collect();
    if kept.is_empty() {
        return None;
    }
    let index = |part: &&str| part.find('[').map_or(*part, |from| &part[from..]).to_owned();
    let indices: Vec<String> = kept.iter().map(index).collect();
    let first = if kept[0] == above[0] { "" } else { "…" };
    let forms =
        [format!("{first}{}.…{last}", kept.join(".…")), format!("…{}…{last}", indices.join("…"))];
    let fits = |form: &&String| width(form, BOLD) <= one.room;
    Some(forms.iter().find(fits).cloned().unwrap_or_else(|| cut(&forms[1], one.room, BOLD)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn short(names: &[&str]) -> Vec<String> {
        let named: Vec<Named<'_>> = names.iter().map(|name| Named { name, room: 176.0 }).collect();
        fitted(&named)
    }

    #[test]
    fn what_tells_boxes_of_a_tier_apart_stays() {
        let names = [
            "ds4300[0].controller[0].lun.disk[0] …",
            "ds4300[3].controller[0].lun.disk[0] …",
            "ds4300[0].controller[1].lun.disk[0] …",
        ];
        let short = short(&names);
        assert_eq!(short[1], "…[3]…[0]…disk[0] …");
        assert_eq!(short.iter().collect::<std::collections::BTreeSet<_>>().len(), 3, "{short:?}");
    }

    #[test]
    fn names_whose_ends_differ_keep_their_ends() {
        let short =
            short(&["p690.drawer.planar.link0.phb1.hba", "p690.drawer.planar.link1.phb2.hba"]);
        assert_eq!(short, ["…link0.phb1.hba", "…link1.phb2.hba"]);
    }
}
