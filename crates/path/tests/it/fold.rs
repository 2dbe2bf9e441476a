//! Colour refinement against its definition and against the obvious way.

use std::collections::BTreeMap;

use iopath_path::fold::refine;
use proptest::collection::vec;
use proptest::prelude::*;

type Edge = (u32, u32, u64);

/// What a node sees: its class, then each of its edges by end, label and class of the other node.
type View = (u32, Vec<(bool, u64, u32)>);

fn views(class: &[u32], edges: &[Edge]) -> Vec<View> {
    let mut views: Vec<View> = class.iter().map(|&class| (class, Vec::new())).collect();
    for &(from, to, label) in edges {
        views[from as usize].1.push((true, label, class[to as usize]));
        views[to as usize].1.push((false, label, class[from as usize]));
    }
    views.iter_mut().for_each(|view| view.1.sort_unstable());
    views
}

/// Numbers what is equal by where it comes first.
fn number<T: Ord>(values: Vec<T>) -> Vec<u32> {
    let mut numbers = BTreeMap::new();
    let numbered = values.into_iter().map(|value| {
        let next = numbers.len() as u32;
        *numbers.entry(value).or_insert(next)
    });
    numbered.collect()
}

/// All nodes look at once, until none sees a difference.
fn refine_slowly(initial: &[u64], edges: &[Edge]) -> Vec<u32> {
    let mut class = number(initial.to_vec());
    loop {
        let finer = number(views(&class, edges));
        if finer == class {
            return class;
        }
        class = finer;
    }
}

/// Graphs in which much is alike: few colours and labels, and edges near to a pattern.
fn graphs() -> impl Strategy<Value = (Vec<u64>, Vec<Edge>)> {
    (2..40_u32).prop_flat_map(|nodes| {
        let stray = vec((0..nodes, 0..nodes, 0..3_u64), 0..12);
        let steps = vec((1..nodes, 0..2_u64), 0..3);
        let colours = vec(prop_oneof![9 => Just(0_u64), 1 => Just(u64::MAX)], nodes as usize);
        (colours, steps, stray).prop_map(move |(colours, steps, mut edges)| {
            for (step, label) in steps {
                edges.extend((0..nodes).map(|node| (node, (node + step) % nodes, label)));
            }
            (colours, edges)
        })
    })
}

fn shuffled_graphs() -> impl Strategy<Value = (Vec<u64>, Vec<Edge>, Vec<u32>, Vec<Edge>)> {
    graphs().prop_flat_map(|(colours, edges)| {
        let order = Just((0..colours.len() as u32).collect::<Vec<_>>()).prop_shuffle();
        let shuffled = Just(edges.clone()).prop_shuffle();
        (Just(colours), Just(edges), order, shuffled)
    })
}

proptest! {
    #[test]
    fn it_is_what_looking_round_by_round_gives((colours, edges) in graphs()) {
        prop_assert_eq!(refine(&colours, &edges), refine_slowly(&colours, &edges));
    }

    #[test]
    fn nodes_of_a_class_see_the_same((colours, edges) in graphs()) {
        let class = refine(&colours, &edges);
        let mut seen = BTreeMap::new();
        for (view, colour) in views(&class, &edges).into_iter().zip(colours) {
            let known = seen.entry(view.0).or_insert_with(|| (colour, view.clone()));
            prop_assert_eq!(&*known, &(colour, view));
        }
    }

    #[test]
    fn another_order_of_nodes_and_edges_gives_the_same_classes(
        (colours, edges, new, shuffled) in shuffled_graphs()
    ) {
        let class = refine(&colours, &edges);
        let mut moved = vec![0; colours.len()];
        for (&colour, &place) in colours.iter().zip(&new) {
            moved[place as usize] = colour;
        }
        let edges: Vec<Edge> =
            shuffled.iter().map(|&(a, b, l)| (new[a as usize], new[b as usize], l)).collect();
        let there = refine(&moved, &edges);
        let back: Vec<u32> = new.iter().map(|&place| there[place as usize]).collect();
        prop_assert_eq!(number(back), class);
    }
}
