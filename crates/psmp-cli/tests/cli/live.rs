use crate::place::{Place, signal, wait};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

const QUERY: &str = "--start 0.1,0.1 --goal 0.9,0.1";
const PATIENCE: Duration = Duration::from_secs(30);

/// A command with `--live`, and those who listen to it.
struct Live {
    line: String,
    child: Child,
    /// Its address: host and port, and what the path begins with.
    host: String,
    path: String,
    events: BufReader<TcpStream>,
}

impl Live {
    fn begin(place: &Place, line: &str) -> Self {
        let line = format!("plan {line} --live --json");
        let mut command = place.command(&line);
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut first = String::new();
        out.read_line(&mut first).unwrap();
        // What else is told is read, so that nothing waits for that.
        std::thread::spawn(move || std::io::copy(&mut out, &mut std::io::sink()));
        let first: Value = serde_json::from_str(&first).unwrap();
        assert_eq!(first["event"], "serving");
        let address = first["address"].as_str().unwrap();
        let (host, path) = address
            .strip_prefix("http://")
            .unwrap()
            .split_once('/')
            .unwrap();
        let (host, path) = (host.to_owned(), format!("/{path}"));
        let mut stream = TcpStream::connect(&host).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        write!(stream, "GET {path}events HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
        Self {
            line,
            child,
            host,
            path,
            events: BufReader::new(stream),
        }
    }

    /// The next thing that is told.
    fn hear(&mut self) -> Value {
        loop {
            let mut line = String::new();
            assert!(
                self.events.read_line(&mut line).unwrap() > 0,
                "nothing more is told"
            );
            if let Some(told) = line.strip_prefix("data: ") {
                return serde_json::from_str(told).unwrap();
            }
        }
    }

    /// All that is told until a run is over: its beginning, its frames and motions, and how it stands.
    fn hear_run(&mut self, number: u64) -> (Value, Vec<Value>, Vec<Value>, Value) {
        let until = Instant::now() + PATIENCE;
        let mut run = (json!(null), Vec::new(), Vec::new(), json!(null));
        while Instant::now() < until {
            let mut told = self.hear();
            if told["run"].is_u64() {
                run = (told.clone(), Vec::new(), Vec::new(), json!(null));
            }
            run.1
                .extend(told["frames"].as_array().cloned().unwrap_or_default());
            run.2.extend(told.get("motion").cloned());
            if told["standing"]["over"].is_string() && run.0["run"] == number {
                run.3 = told["standing"].take();
                return run;
            }
        }
        panic!("run {number} is never over");
    }

    /// Sends something; the status of the answer, and what it says.
    fn send(&self, what: &str, body: &Value) -> (u16, Value) {
        let Self { host, path, .. } = self;
        let mut stream = TcpStream::connect(host).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let body = body.to_string();
        let length = body.len();
        write!(
            stream,
            "POST {path}{what} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n\
             Content-Length: {length}\r\n\r\n{body}"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, serde_json::from_str(body).unwrap())
    }

    /// Ends it as Ctrl-C does; it must end with this code.
    fn end(mut self, code: i32) {
        let began = Instant::now();
        signal(&self.child, "INT");
        assert_eq!(wait(&mut self.child, &self.line), Some(code));
        assert!(
            began.elapsed() < Duration::from_secs(3),
            "{:?}",
            began.elapsed()
        );
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_goal_is_moved_and_the_last_path_is_written() {
    let place = Place::new().with_maps();
    let line = format!("--map map.png {QUERY} --configurations 5000 --path p.csv");
    let mut live = Live::begin(&place, &line);
    let (begun, frames, motions, over) = live.hear_run(1);
    let family = &begun["films"][0];
    assert_eq!(family["bounds"], json!([[0.0, 1.0], [0.0, 1.0]]));
    assert!(
        family["worlds"][0]["obstacles"]["rectangles"]
            .as_array()
            .unwrap()
            .len()
            >= 4
    );
    assert!(motions.is_empty());
    assert!(frames.iter().any(|f| f["k"] == "i"));
    assert_eq!(frames.last().unwrap()["k"], "e");
    // The whole run is told, however seldom there is a frame.
    let checks = over["checks"].as_u64().unwrap();
    assert!(
        checks <= 5000 && frames.last().unwrap()["n"] == checks,
        "{over}"
    );
    let first = over["best"].as_f64().unwrap();
    for (to, status) in [
        (json!({"what": "goal", "to": [0.5, 0.2]}), 200),
        (json!({"what": "goal", "to": [1.5, 0.2]}), 400),
        (json!({"what": "goal", "to": [0.5]}), 400),
        (json!({"what": "goal", "to": ["a", "b"]}), 400),
        (json!({"what": "goal"}), 400),
        (json!({"what": "object", "object": 0, "by": [0, 0, 0]}), 400),
        (json!([]), 400),
    ] {
        let (answered, words) = live.send("move", &to);
        assert_eq!(answered, status, "{to}");
        assert!(
            words["words"].as_str().is_some_and(|w| w.len() > 10),
            "{words}"
        );
    }
    assert_eq!(live.send("pose", &json!({"joints": [0, 0]})).0, 400);
    assert_eq!(live.send("other", &json!({})).0, 404);
    assert_eq!(
        live.send("move", &json!({"what": "goal", "to": [0.9, 0.8]}))
            .0,
        200
    );
    let (begun, _, _, over) = live.hear_run(2);
    assert!(over["best"].as_f64().unwrap() < first, "{over}");
    let goal = begun["films"][0]["goal"].as_array().unwrap();
    assert!((goal[0].as_f64().unwrap() - 900.0).abs() < 1.0);
    live.end(0);
    let last = place.read("p.csv").lines().last().unwrap().to_owned();
    assert!(last.ends_with("0.9,0.8"), "{last}");
}

#[test]
fn a_run_that_goes_on_stops_when_something_is_moved_and_at_ctrl_c() {
    let place = Place::new().with_maps();
    // Without a passage, and without an end.
    let mut live = Live::begin(&place, &format!("--map closed.png {QUERY} --time 1000"));
    assert_eq!(live.hear()["run"], 1);
    assert_eq!(
        live.send("move", &json!({"what": "start", "to": [0.2, 0.2]}))
            .0,
        200
    );
    while live.hear()["run"] != 2 {}
    live.end(4);
    // Where it is known that there is none it waits all the same.
    let line = format!("--map closed.png {QUERY} --fixed-roadmap");
    let mut live = Live::begin(&place, &line);
    live.hear_run(1);
    assert_eq!(
        live.send("move", &json!({"what": "goal", "to": [0.3, 0.1]}))
            .0,
        200
    );
    assert!(live.hear_run(2).3["best"].is_f64());
    live.end(0);
}

#[test]
fn trees_and_datasets_are_shown_too() {
    let place = Place::new().with_maps().with_dataset();
    for line in [
        format!("--map map.png {QUERY} --planner rrtconnect --shortcut"),
        "--dataset worlds --world 3 --planner psmp:fs".to_owned(),
    ] {
        let mut live = Live::begin(&place, &line);
        assert!(live.hear_run(1).3["best"].is_f64());
        assert_eq!(
            live.send("move", &json!({"what": "goal", "to": [0.8, 0.7]}))
                .0,
            200
        );
        assert!(live.hear_run(2).3["best"].is_f64());
        live.end(0);
    }
}

#[test]
fn an_object_of_an_arm_is_moved_and_what_is_still_so_is_kept() {
    let place = Place::new().with_arm();
    let line = "--robot planar-3 --scene post.toml --request over.yaml --vertices 300 \
                --configurations 20000 --trajectory t.csv";
    let mut live = Live::begin(&place, line);
    let (begun, _, motions, over) = live.hear_run(1);
    let stage = &begun["motions"][0];
    assert_eq!(stage["names"], json!(["post"]));
    assert_eq!(stage["joints"].as_array().unwrap().len(), 3);
    assert!(!motions.is_empty() && over["best"].is_f64());
    let (status, posed) = live.send("pose", &json!({"joints": [0.1, 0.2, 0.3]}));
    let ends = stage["ends"][0]["pose"].as_array().unwrap().len();
    assert_eq!(
        (status, posed["pose"].as_array().unwrap().len()),
        (200, ends)
    );
    for wrong in [
        json!({"what": "object", "object": 1, "by": [0, 0, 0]}),
        json!({"what": "object", "object": 0, "by": [1e9, 0, 0]}),
        json!({"what": "start", "to": [0.1, 0.2]}),
        json!({"what": "start", "to": [100, 0, 0]}),
    ] {
        let (status, words) = live.send("move", &wrong);
        assert_eq!(status, 400, "{wrong}: {words}");
        assert!(words["words"].as_str().is_some_and(|w| w.len() > 10));
    }
    // On the arm where it begins.
    let (_, refused) = live.send(
        "move",
        &json!({"what": "object", "object": 0, "by": [-0.3, -0.4, 0]}),
    );
    let words = refused["words"].as_str().unwrap();
    assert!(
        words.contains("`post`") && words.contains("stays where it was"),
        "{words}"
    );
    // Out of the way: the straight line is free.
    let away = json!({"what": "object", "object": 0, "by": [3, 0, 0]});
    assert_eq!(live.send("move", &away), (200, json!({})));
    let (_, _, motions, over) = live.hear_run(2);
    assert!(
        over["over"].as_str().unwrap().contains("straight line"),
        "{over}"
    );
    assert_eq!(motions.len(), 1);
    // And back: most of what was known is known again.
    let back = json!({"what": "object", "object": 0, "by": [-3, 0, 0]});
    assert_eq!(live.send("move", &back).0, 200);
    assert!(live.hear_run(3).3["best"].is_f64());
    let goal = json!({"what": "goal", "to": [0.8, 0.0, 0.0]});
    assert_eq!(live.send("move", &goal).0, 200);
    assert!(live.hear_run(4).3["best"].is_f64());
    live.end(0);
    let last = place.read("t.csv").lines().last().unwrap().to_owned();
    assert!(last.contains(",0.8,0,0,"), "{last}");
}

#[test]
fn what_does_not_go_with_it_is_said() {
    let place = Place::new().with_maps();
    for other in [
        "--page run.html",
        "--picture run.svg",
        "--keep run.kept",
        "--outcomes run.json",
    ] {
        let run = place.psmp(&format!("plan --map map.png {QUERY} --live {other}"));
        let run = run.ends(2);
        let option = other.split(' ').next().unwrap();
        assert!(
            run.err.contains("--live") && run.err.contains(option),
            "{run:?}"
        );
    }
}
