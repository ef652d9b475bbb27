//! A scene as the bodies of an arm see it: what each of them can meet and must not touch.

use crate::block::{Block, LANES, splat_point};
use crate::contacts::Contacts;
use crate::exact::distance_to_box;
use crate::obstacle::{Obstacles, PreparedShape};
use crate::pose::norm;
use crate::scene::Scene;
use crate::sphere_tree::{BodyPair, ROUNDING, Scratch, SphereTree};

/// What stands still and touches all the same: the names of a body and of an object.
pub(crate) type StandingCollision = (String, String);

/// A scene for checking one configuration after the other.
pub(crate) struct Surroundings {
    /// For each body the obstacles in its reach that it must not touch.
    pub obstacles: Vec<Obstacles>,
    /// Bodies that must not touch each other, as their spheres tell.
    pub pairs: Vec<BodyPair>,
    /// Bodies that must not touch each other, and of which spheres tell nothing.
    pub crowded: Vec<BodyPair>,
    /// If there is one, nothing is free.
    pub standing_collision: Option<StandingCollision>,
}

impl Surroundings {
    pub fn new(tree: &SphereTree, contacts: &Contacts, scene: &Scene) -> Self {
        let encounters = Encounters::new(tree, contacts, scene);
        let mut obstacles = vec![Obstacles::default(); tree.bodies.len()];
        let shapes = encounters.shapes.iter().zip(&encounters.numbers);
        for ((shape, &number), bodies) in shapes.zip(&encounters.bodies) {
            for &body in bodies {
                obstacles[body].add(shape, number);
            }
        }
        let (pairs, crowded) = tree.pairs(contacts);
        Self {
            obstacles,
            pairs,
            crowded,
            standing_collision: encounters.standing_collision,
        }
    }

    /// How many pairs of bodies must not touch each other.
    pub fn pair_count(&self) -> usize {
        self.pairs.len() + self.crowded.len()
    }
}

/// A scene for checking whole motions: each shape in a box, for the boxes that motions sweep.
pub(crate) struct BoxedSurroundings {
    shapes: Vec<PreparedShape>,
    boxes: Vec<EightBoxes>,
    /// For each eight boxes, a bit for each of them that a body is checked against; body by body.
    against: Vec<u8>,
    bodies: usize,
    /// If there is one, nothing is free.
    pub standing_collision: Option<StandingCollision>,
}

/// The least and the greatest coordinates of eight boxes, axis by axis.
struct EightBoxes {
    low: [[f32; LANES]; 3],
    high: [[f32; LANES]; 3],
}

impl EightBoxes {
    /// No box at all.
    const NOTHING: Self = Self {
        low: [[f32::INFINITY; LANES]; 3],
        high: [[f32::NEG_INFINITY; LANES]; 3],
    };
}

/// Eight configurations of a motion, or its last few, with the bodies placed.
pub(crate) struct PlacedBlock {
    pub scratch: Scratch<[f32; LANES]>,
    /// A bit for each lane that has a configuration.
    pub lanes: u8,
}

/// The box that a body sweeps along a motion.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SweptBox {
    low: [f32; 3],
    high: [f32; 3],
}

impl SweptBox {
    /// Nothing swept yet.
    pub const NOTHING: Self = Self {
        low: [f32::INFINITY; 3],
        high: [f32::NEG_INFINITY; 3],
    };

    /// Takes in balls of one radius.
    pub fn take_in(&mut self, middles: &[[f32; LANES]; 3], radius: f32) {
        for (axis, values) in middles.iter().enumerate() {
            for value in values {
                self.low[axis] = self.low[axis].min(value - radius);
                self.high[axis] = self.high[axis].max(value + radius);
            }
        }
    }
}

impl BoxedSurroundings {
    pub fn new(tree: &SphereTree, contacts: &Contacts, scene: &Scene) -> Self {
        let encounters = Encounters::new(tree, contacts, scene);
        let bodies = tree.bodies.len();
        let mut boxes = Vec::new();
        let mut against = Vec::new();
        let eights = encounters.bounds.chunks(LANES);
        for (bounds, met_by) in eights.zip(encounters.bodies.chunks(LANES)) {
            let mut eight = EightBoxes::NOTHING;
            let first = against.len();
            against.resize(first + bodies, 0);
            for (lane, ((low, high), met_by)) in bounds.iter().zip(met_by).enumerate() {
                for axis in 0..3 {
                    // Rounded outwards.
                    eight.low[axis][lane] = (low[axis] - ROUNDING) as f32;
                    eight.high[axis][lane] = (high[axis] + ROUNDING) as f32;
                }
                for &body in met_by {
                    against[first + body] |= 1 << lane;
                }
            }
            boxes.push(eight);
        }
        Self {
            shapes: encounters.shapes,
            boxes,
            against,
            bodies,
            standing_collision: encounters.standing_collision,
        }
    }

    /// Whether a body touches something along a motion, whose blocks are placed and whose bodies
    /// sweep these boxes.
    #[inline(always)]
    pub fn touched<B: Block<Store = [f32; LANES]>>(
        &self,
        token: B::Token,
        tree: &SphereTree,
        swept: &[SweptBox],
        blocks: &mut [PlacedBlock],
    ) -> bool {
        // The hand meets things before the shoulder does.
        for (body, swept) in swept.iter().enumerate().rev() {
            let low = splat_point::<B>(token, swept.low);
            let high = splat_point::<B>(token, swept.high);
            for (place, eight) in self.boxes.iter().enumerate() {
                let mut near = self.against[place * self.bodies + body];
                if near != 0 {
                    near &= eight.meet(token, &low, &high);
                }
                while near != 0 {
                    let shape = &self.shapes[place * LANES + near.trailing_zeros() as usize];
                    near &= near - 1;
                    for block in &mut *blocks {
                        let (scratch, lanes) = (&mut block.scratch, block.lanes);
                        if tree.body_touches::<B>(token, body, shape, scratch, lanes) {
                            return true;
                        }
                    }
                }
            }
        }
        false
    }
}

impl EightBoxes {
    /// A bit for each of the boxes that meets this one.
    #[inline(always)]
    fn meet<B: Block<Store = [f32; LANES]>>(
        &self,
        token: B::Token,
        low: &[B; 3],
        high: &[B; 3],
    ) -> u8 {
        // How far they are apart along an axis, if at all.
        let mut apart = B::splat(token, f32::NEG_INFINITY);
        for axis in 0..3 {
            let before = B::load(token, &self.low[axis]) - high[axis];
            let behind = low[axis] - B::load(token, &self.high[axis]);
            apart = apart.greater(before).greater(behind);
        }
        apart.within(0.0)
    }
}

/// The shapes of a scene, made ready once, and which bodies can meet them.
struct Encounters {
    shapes: Vec<PreparedShape>,
    /// The place of each among all shapes of the scene.
    numbers: Vec<u32>,
    /// The least and the greatest coordinates of each shape.
    bounds: Vec<([f64; 3], [f64; 3])>,
    /// For each shape the moving bodies that can reach it and must not touch it.
    bodies: Vec<Vec<usize>>,
    standing_collision: Option<StandingCollision>,
}

impl Encounters {
    fn new(tree: &SphereTree, contacts: &Contacts, scene: &Scene) -> Self {
        let reaches: Vec<([f64; 3], f64)> = tree
            .bodies
            .iter()
            .map(|body| {
                let middle = norm(body.bound.middle.map(f64::from));
                let (anchor, reach) = tree.exact_kinematics.reach(body.frame, middle);
                (anchor, reach + f64::from(body.bound.radius) + ROUNDING)
            })
            .collect();
        let mut encounters = Self {
            shapes: Vec::new(),
            numbers: Vec::new(),
            bounds: Vec::new(),
            bodies: Vec::new(),
            standing_collision: None,
        };
        let mut place = 0;
        for (number, object) in scene.objects.iter().enumerate() {
            for placed in &object.shapes {
                place += 1;
                let (low, high) = placed.shape.bounds(&placed.pose);
                let (mut met_by, mut standing) = (Vec::new(), Vec::new());
                for (index, body) in tree.bodies.iter().enumerate() {
                    let (anchor, reach) = reaches[index];
                    let checked = contacts.against_objects[index][number];
                    if !checked || distance_to_box(anchor, low, high) > reach {
                        continue;
                    }
                    match body.frame {
                        0 => standing.push(index),
                        _ => met_by.push(index),
                    }
                }
                if met_by.is_empty() && standing.is_empty() {
                    continue;
                }
                let shape = PreparedShape::new(placed);
                // What never moves is checked now, once.
                let mut alone = Obstacles::default();
                alone.add(&shape, 0);
                let touches = |&index: &usize| {
                    let spheres = tree.spheres_of(&tree.bodies[index]);
                    let mut spheres = spheres.iter();
                    spheres.any(|s| alone.touch::<f32>((), s.middle, s.radius) != 0)
                };
                if let Some(&index) = standing.iter().find(|index| touches(index)) {
                    let names = (contacts.bodies[index].name.clone(), object.name.clone());
                    encounters.standing_collision = Some(names);
                }
                encounters.shapes.push(shape);
                encounters.numbers.push(place - 1);
                encounters.bounds.push((low, high));
                encounters.bodies.push(met_by);
            }
        }
        encounters
    }
}
