//! Measures of points with several objectives, all of them to be minimised.

/// Whether one point is nowhere worse than another one, and somewhere better.
pub fn dominates(left: &[f64], right: &[f64]) -> bool {
    let pairs = || left.iter().zip(right);
    pairs().all(|(left, right)| left <= right) && pairs().any(|(left, right)| left < right)
}

/// The rank of each point: 0 if nothing dominates it, 1 if only points of rank 0 do, and so on.
///
/// Deb et al., *A Fast and Elitist Multiobjective Genetic Algorithm: NSGA-II*, 2002.
pub fn fronts(points: &[Vec<f64>]) -> Vec<usize> {
    let mut above = vec![0_usize; points.len()];
    let mut below = vec![Vec::new(); points.len()];
    for left in 0..points.len() {
        for right in left + 1..points.len() {
            if dominates(&points[left], &points[right]) {
                below[left].push(right);
                above[right] += 1;
            } else if dominates(&points[right], &points[left]) {
                below[right].push(left);
                above[left] += 1;
            }
        }
    }
    let mut ranks = vec![0; points.len()];
    let mut front: Vec<usize> = (0..points.len()).filter(|it| above[*it] == 0).collect();
    let mut rank = 0;
    while !front.is_empty() {
        let mut next = Vec::new();
        for index in front {
            ranks[index] = rank;
            for other in &below[index] {
                above[*other] -= 1;
                if above[*other] == 0 {
                    next.push(*other);
                }
            }
        }
        front = next;
        rank += 1;
    }
    ranks
}

/// How many points dominate the one at `index`; 0 if it is on the front.
pub fn dominated_by(points: &[Vec<f64>], index: usize) -> usize {
    points.get(index).map_or(0, |at| points.iter().filter(|it| dominates(it, at)).count())
}

/// The positions of the points that nothing dominates, without repeats of equal points.
pub fn front(points: &[Vec<f64>]) -> Vec<usize> {
    (0..points.len())
        .filter(|at| {
            let point = &points[*at];
            !points.iter().any(|it| dominates(it, point)) && !points[..*at].contains(point)
        })
        .collect()
}

/// The crowding distance of each point: how far away its neighbours are, over all objectives, relative to their ranges.
///
/// The outermost points of an objective have an infinite distance. Meant for points of one front (Deb et al., 2002).
pub fn crowding(points: &[Vec<f64>]) -> Vec<f64> {
    let mut distances = vec![0.0; points.len()];
    let objectives = points.first().map_or(0, Vec::len);
    for objective in 0..objectives {
        let mut order: Vec<usize> = (0..points.len()).collect();
        order.sort_by(|left, right| points[*left][objective].total_cmp(&points[*right][objective]));
        let (Some(first), Some(last)) = (order.first(), order.last()) else { break };
        let range = points[*last][objective] - points[*first][objective];
        distances[*first] = f64::INFINITY;
        distances[*last] = f64::INFINITY;
        if range > 0.0 && range.is_finite() {
            for around in order.windows(3) {
                let gap = points[around[2]][objective] - points[around[0]][objective];
                distances[around[1]] += gap / range;
            }
        }
    }
    distances
}

/// The volume that the points dominate, up to a reference point that is worse than all of them.
///
/// Exact for any number of objectives, and meant for small sets: sweeping along two objectives, and for more the
/// algorithm of While, Bradstreet and Barone (*A Fast Way of Calculating Exact Hypervolumes*, 2012). Points that are not
/// better than the reference in every objective add nothing.
pub fn hypervolume(points: &[Vec<f64>], reference: &[f64]) -> f64 {
    let inside: Vec<Vec<f64>> = points
        .iter()
        .filter(|it| {
            it.len() == reference.len() && it.iter().zip(reference).all(|(it, at)| it < at)
        })
        .cloned()
        .collect();
    let mut kept: Vec<Vec<f64>> = front(&inside).into_iter().map(|it| inside[it].clone()).collect();
    if reference.is_empty() {
        return 0.0;
    }
    kept.sort_by(|left, right| left[0].total_cmp(&right[0]));
    volume(&kept, reference)
}

/// The volume of points that do not dominate each other, sorted by the first objective.
fn volume(points: &[Vec<f64>], reference: &[f64]) -> f64 {
    match reference.len() {
        1 => points.first().map_or(0.0, |it| reference[0] - it[0]),
        2 => {
            let mut ceiling = reference[1];
            let mut sum = 0.0;
            for point in points {
                sum += (reference[0] - point[0]) * (ceiling - point[1]).max(0.0);
                ceiling = ceiling.min(point[1]);
            }
            sum
        }
        _ => (0..points.len()).map(|at| exclusive(points, at, reference)).sum(),
    }
}

/// The volume that only the point at `at` dominates, and none after it.
fn exclusive(points: &[Vec<f64>], at: usize, reference: &[f64]) -> f64 {
    let point = &points[at];
    let own: f64 = point.iter().zip(reference).map(|(it, at)| at - it).product();
    let limited: Vec<Vec<f64>> = points[at + 1..]
        .iter()
        .map(|other| other.iter().zip(point).map(|(other, it)| other.max(*it)).collect())
        .collect();
    own - hypervolume(&limited, reference)
}
