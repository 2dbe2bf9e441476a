use iopath_study::*;
fn main() {
    for file in std::env::args().skip(1) {
        let load = |n: &str| Source {
            name: n.to_owned(),
            text: std::fs::read_to_string(n).unwrap_or_default(),
        };
        let s = load(&file);
        let mut inc: Vec<Source> = vec![];
        let mut todo = includes(&s);
        while let Some(n) = todo.pop() {
            if inc.iter().any(|i| i.name == n) {
                continue;
            }
            if !std::path::Path::new(&n).exists() {
                continue;
            }
            let f = load(&n);
            todo.extend(includes(&f));
            inc.push(f);
        }
        let t = std::time::Instant::now();
        match parse_with(&s, &inc, &[]) {
            Err(e) => println!("{file}:\n{e}\n"),
            Ok(st) => {
                let t1 = t.elapsed();
                let cases = st.cases().unwrap();
                println!(
                    "{file}: {} cases, {} parts, parse {:?} cases {:?}",
                    cases.len(),
                    cases.iter().map(|c| c.system.parts.len()).max().unwrap(),
                    t1,
                    t.elapsed() - t1
                );
                for c in cases {
                    let src = Source { name: "t".into(), text: c.text.clone() };
                    match parse(&src, &[]) {
                        Err(e) => {
                            println!("AGAIN {e}\n{}", c.text);
                            break;
                        }
                        Ok(a) => {
                            let a = a.cases().unwrap();
                            if a.len() != 1 || a[0] != c {
                                println!("DIFFERS {:?}", c.levels);
                            }
                        }
                    }
                }
            }
        }
    }
}
