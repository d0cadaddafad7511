//! The fuzz targets on a little random input, so that every test run has some.

use crate::bodies;
use crate::mutated::{Random, WORDS, damage, seeds};

#[test]
fn random_heads_and_bodies_are_read_as_the_reference_reads_them() {
    let seeds = seeds();
    for seed in 0..3000 {
        let random = &mut Random(seed);
        let mut data = vec![random.next() as u8];
        for _ in 0..random.below(12) {
            data.extend_from_slice(random.pick(WORDS));
        }
        if random.below(2) == 0 {
            damage(&mut data, &seeds, random);
        }
        println!("seed {seed}");
        bodies::h1_head(&data);
        bodies::h1_body(&data);
    }
}

#[test]
fn random_calls_on_a_connection_keep_its_promises() {
    for seed in 0..20_000 {
        let random = &mut Random(seed);
        let data: Vec<u8> = (0..random.below(60)).map(|_| random.next() as u8).collect();
        println!("seed {seed}");
        bodies::h1_api(&data);
    }
}
