//! Inbreeding of all animals of a pedigree.

/// Wright's coefficient of each position, by the decomposition A = TDT' of the relationships: the diagonal of an animal
/// is the sum over its ancestors of their share in it, squared, times their variance within (Meuwissen and Luo,
/// Genetics Selection Evolution 24 (1992) 305). The memory is linear in the number of animals.
///
/// `generations` has the first position of each generation, and the end.
pub(crate) fn coefficients(parents: &[[u32; 2]], generations: &[u32]) -> Vec<f64> {
    let count = parents.len();
    let mut generation_of = vec![0_u32; count];
    for (generation, bounds) in generations.windows(2).enumerate() {
        generation_of[bounds[0] as usize..bounds[1] as usize].fill(generation as u32);
    }
    let mut inbreeding = vec![0.0; count];
    let mut within = vec![0.0; count];
    // The share of each ancestor in the present animal, and the ancestors that wait to be followed: a list for each
    // generation, linked by `next`.
    let mut share = vec![0.0_f64; count];
    let mut next = vec![NONE; count];
    let mut first = vec![NONE; generations.len()];
    for animal in 0..count {
        within[animal] = variance_within(parents[animal], &inbreeding);
        let [sire, dam] = parents[animal].map(|parent| parent as usize);
        if sire >= count || dam >= count {
            continue;
        }
        let mut diagonal = within[animal];
        for parent in [sire, dam] {
            share[parent] = 0.5;
            push(parent, &generation_of, &mut first, &mut next);
        }
        for generation in (0..generation_of[animal] as usize).rev() {
            while first[generation] != NONE {
                let ancestor = first[generation] as usize;
                first[generation] = next[ancestor];
                let own = std::mem::take(&mut share[ancestor]);
                diagonal += own * own * within[ancestor];
                for parent in parents[ancestor].map(|parent| parent as usize) {
                    if parent < count {
                        if share[parent] == 0.0 {
                            push(parent, &generation_of, &mut first, &mut next);
                        }
                        share[parent] += own / 2.0;
                    }
                }
            }
        }
        inbreeding[animal] = diagonal - 1.0;
    }
    inbreeding
}

const NONE: u32 = u32::MAX;

fn push(animal: usize, generation_of: &[u32], first: &mut [u32], next: &mut [u32]) {
    let list = &mut first[generation_of[animal] as usize];
    next[animal] = *list;
    *list = animal as u32;
}

/// The variance of an animal about the mean of its parents: 1, less a quarter of the variance (1 + F) of each known
/// one. An unknown parent, of a group or not, adds a quarter of its own (Quaas, Journal of Dairy Science 71 (1988)
/// 1338).
pub(crate) fn variance_within(parents: [u32; 2], inbreeding: &[f64]) -> f64 {
    let known = parents.iter().filter_map(|parent| inbreeding.get(*parent as usize));
    1.0 - known.map(|coefficient| 0.25 * (1.0 + coefficient)).sum::<f64>()
}
