use psmp::checker::{BisectionChecker, Checker, Part, Sightings};
use psmp::{
    CollisionTable, Connection, Query, Resolution, Roadmap, Space, VertexId, WorldId, roadmap,
};
use psmp_worlds::{Dataset, DatasetParts, Frame, OccupancyGrid};
use serde_json::Value;
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// No command of these tests takes longer by far; one that does hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// A temporary folder that commands are run in, so that every file is named by its bare name.
pub struct Place(TempDir);

/// What a command has left behind.
#[derive(Debug)]
pub struct Run {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Place {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.file(name)).unwrap()
    }

    pub fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.file(name), content).unwrap();
    }

    /// The command, ready to run here.
    pub fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_psmp"));
        command
            .args(line.split_whitespace())
            .current_dir(self.0.path())
            .env("NO_COLOR", "1")
            .env("XDG_CACHE_HOME", self.file("cache"))
            .stdin(Stdio::null());
        command
    }

    /// Runs `psmp` with these arguments, separated by spaces.
    pub fn psmp(&self, line: &str) -> Run {
        let logs = tempfile::tempdir().unwrap();
        let [out, err] = ["out", "err"].map(|name| logs.path().join(name));
        let mut command = self.command(line);
        command
            .stdout(File::create(&out).unwrap())
            .stderr(File::create(&err).unwrap());
        let code = wait(&mut command.spawn().unwrap(), line);
        let [out, err] = [out, err].map(|log| fs::read_to_string(log).unwrap());
        Run { code, out, err }
    }

    /// A planar arm's way around a post: `post.toml`, and `over.yaml` from one side to the other.
    pub fn with_arm(self) -> Self {
        let scene = "[[object]]\nname = \"post\"\nbox = [0.1, 0.1, 0.4]\nposition = [0.75, 0, 0]\n";
        self.write("post.toml", scene);
        self.write("over.yaml", request([-0.9, 0.1, 0.1], [0.9, -0.1, -0.1]));
        self
    }

    /// A wall with a passage at its upper end, as `map.png`, `map.pgm` and `map.yaml`, all of the
    /// unit square; and `closed.png`, whose wall has no passage.
    pub fn with_maps(self) -> Self {
        let wall = |passage: f64| {
            OccupancyGrid::from_fn(101, 101, Frame::unit(), |column, row| {
                !(45..=55).contains(&column) || f64::from(100 - row) > 100.0 * (1.0 - passage)
            })
            .unwrap()
        };
        let open = wall(0.2);
        open.write_png(self.file("map.png")).unwrap();
        wall(0.0).write_png(self.file("closed.png")).unwrap();
        let mut pgm = b"P5\n101 101\n255\n".to_vec();
        for row in 0..101 {
            pgm.extend((0..101).map(|column| {
                if open.is_cell_free(column, row) {
                    255
                } else {
                    0
                }
            }));
        }
        self.write("map.pgm", pgm);
        self.write(
            "map.yaml",
            "image: map.pgm\nresolution: 0.01\norigin: [-0.005, -0.005, 0.0]\nnegate: 0\n\
             occupied_thresh: 0.65\nfree_thresh: 0.196\n",
        );
        self
    }

    /// The dataset `worlds`: twelve images of a wall with a passage that moves up from world to
    /// world, the last without any, and the table of which edge is free where.
    pub fn with_dataset(self) -> Self {
        let space = Space::unit(2);
        let points = roadmap::halton(&space, 60);
        let roadmap = Roadmap::from_configurations(space, points, Connection::Radius(0.3)).unwrap();
        let grids: Vec<OccupancyGrid> = (0..12)
            .map(|world| {
                let passage = f64::from(world) * 18.0;
                let passage = passage..passage + 25.0;
                OccupancyGrid::from_fn(201, 201, Frame::unit(), |column, row| {
                    let open = world < 11 && passage.contains(&f64::from(200 - row));
                    !(90..=110).contains(&column) || open
                })
                .unwrap()
            })
            .collect();
        let mut table = CollisionTable::all_blocked(grids.len(), roadmap.edge_count());
        let mut sightings = Sightings::new(2);
        for (world, grid) in grids.iter().enumerate() {
            let mut checker =
                BisectionChecker::new(&roadmap, Resolution::distance(0.001).unwrap(), grid)
                    .unwrap();
            for edge in roadmap.edge_ids() {
                sightings.clear();
                let Ok(finding) = checker.check(Part::whole_of(edge), &mut sightings);
                let is_free = finding.free == Some(true);
                table.set(WorldId(world as u32), edge, is_free);
            }
        }
        let nearest = |to: [f64; 2]| {
            let distance = |v: &VertexId| {
                let q = roadmap.configuration(*v).unwrap();
                (q[0] - to[0]).hypot(q[1] - to[1])
            };
            let vertices = roadmap.vertices();
            vertices
                .min_by(|a, b| distance(a).total_cmp(&distance(b)))
                .unwrap()
        };
        let (train, test): (Vec<WorldId>, Vec<WorldId>) =
            (0..12).map(WorldId).partition(|w| w.0 % 3 != 1);
        let paths = [vec![VertexId(0), VertexId(1)]];
        let mut parts = DatasetParts::new(&roadmap);
        parts.table = Some(&table);
        parts.query = Some(Query {
            start: nearest([0.05, 0.1]),
            goal: nearest([0.95, 0.1]),
        });
        parts.train = Some(&train);
        parts.test = Some(&test);
        parts.path_library = Some(&paths);
        let folder = self.file("worlds");
        Dataset::write(&folder, &parts).unwrap();
        Dataset::create_image_folder(&folder).unwrap();
        for (world, grid) in grids.iter().enumerate() {
            let image = Dataset::image_path_in(&folder, WorldId(world as u32));
            grid.write_png(image).unwrap();
        }
        self
    }
}

/// The exit code, or a panic if the command hangs.
pub fn wait(child: &mut Child, line: &str) -> Option<i32> {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        if started.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("`psmp {line}` hangs");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Sends a signal, such as `INT`.
#[cfg(unix)]
pub fn signal(child: &Child, name: &str) {
    let kill = Command::new("kill")
        .args([&format!("-{name}"), &child.id().to_string()])
        .status();
    assert!(kill.unwrap().success());
}

impl Run {
    /// The run, which must have ended with this code.
    pub fn ends(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:?}");
        self
    }

    /// The run, which must have done its work.
    pub fn ok(self) -> Self {
        self.ends(0)
    }

    /// The values of a standard output that is one value a line, but for the last that tells the result of a
    /// plan.
    pub fn json_lines(&self) -> Vec<Value> {
        let lines = self.out.lines();
        let values = lines.map(|l| serde_json::from_str::<Value>(l).unwrap());
        values.filter(|v| v["event"] != "result").collect()
    }

    /// The last line, which tells the result of a plan.
    pub fn result(&self) -> Value {
        let last = self.out.lines().last().unwrap();
        let value: Value = serde_json::from_str(last).unwrap();
        assert_eq!(value["event"], "result");
        value
    }

    /// Standard output without that line, whose times no run repeats.
    pub fn events(&self) -> String {
        let lines = self.out.lines();
        let lines = lines.filter(|l| !l.contains(r#""event":"result""#));
        lines.map(|line| format!("{line}\n")).collect()
    }

    /// The value of a standard output that is one value.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap()
    }
}

/// A motion plan request for a planar arm of three joints.
pub fn request(start: [f64; 3], goal: [f64; 3]) -> String {
    let [a, b, c] = goal;
    format!(
        "group_name: arm\nstart_state:\n  joint_state: {{name: [joint1, joint2, joint3], position: \
         {start:?}}}\ngoal_constraints:\n  - joint_constraints:\n      - {{joint_name: joint1, \
         position: {a}}}\n      - {{joint_name: joint2, position: {b}}}\n      - {{joint_name: \
         joint3, position: {c}}}\n"
    )
}
