//! A server of one page, for the browser of whoever started it and for nobody else.
//!
//! It listens on loopback alone. Its address has a random token of 128 bits; whatever else is asked for is not there,
//! and no request ever leads to a file: the page is in memory. A request must name the server as its host, so that no
//! other name can be made to lead here, and one that asks for a change must come from the page itself. Requests are
//! small and must come quickly, and there are only so many at a time, each on a thread of its own: who is slow, or
//! sends nonsense, hurts only himself.

use super::broadcast::{Broadcast, Silence};
use serde_json::{Value, json};
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How large a request may be without its body, how many headers it may have, and how large its body may be.
const LARGEST_HEAD: usize = 8 << 10;
const MOST_HEADERS: usize = 64;
const LARGEST_BODY: usize = 16 << 10;
/// How many requests are answered at a time.
const MOST_CONNECTIONS: usize = 48;
/// How long a request may take to come, and a part of an answer to be taken.
const PATIENCE: Duration = Duration::from_secs(5);
/// Those who listen hear at least this often that all is well.
const HEARTBEAT: Duration = Duration::from_secs(5);

/// What is served.
pub struct Site {
    /// The page.
    pub page: String,
    /// What happens, for the page to show.
    pub events: Broadcast,
    /// Answers what is asked for with a body: what it is, and the body. Nothing if there is no such thing, and words
    /// if the body makes no sense.
    pub answer: Answers,
}

/// What answers.
pub type Answers = Box<dyn Fn(&str, &[u8]) -> Option<Result<Value, String>> + Send + Sync>;

/// A site that is served until the process ends.
pub struct Server {
    /// Where.
    pub address: String,
    /// What.
    pub site: Arc<Site>,
}

/// The door that requests come through.
struct Door {
    site: Arc<Site>,
    port: u16,
    token: String,
    inside: AtomicUsize,
}

impl Server {
    /// Serves a site on a free port.
    ///
    /// # Errors
    /// If there is no port, or no randomness.
    pub fn start(site: Site) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = listener.local_addr()?.port();
        let mut random = [0; 16];
        getrandom::fill(&mut random).map_err(io::Error::other)?;
        let token: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
        let site = Arc::new(site);
        let address = format!("http://127.0.0.1:{port}/{token}/");
        let door = Arc::new(Door {
            site: site.clone(),
            port,
            token,
            inside: AtomicUsize::new(0),
        });
        std::thread::Builder::new()
            .name("live page".to_owned())
            .spawn(move || door.keep(&listener))?;
        Ok(Self { address, site })
    }
}

impl Door {
    fn keep(self: &Arc<Self>, listener: &TcpListener) {
        for stream in listener.incoming() {
            let Ok(stream) = stream else {
                // Too many open files, say: it passes.
                std::thread::sleep(Duration::from_millis(20));
                continue;
            };
            let inside = Inside::enter(self);
            // Of very many not even that they are too many is told.
            if self.inside.load(Ordering::Relaxed) > 2 * MOST_CONNECTIONS {
                continue;
            }
            let thread = std::thread::Builder::new().name("live request".to_owned());
            // A thread that cannot be had leaves the request without an answer.
            let _ = thread.spawn(move || {
                let mut visit = Visit { stream, inside };
                // Who is gone need not be told.
                let _ = visit.serve();
            });
        }
    }
}

/// One of those who are served, counted for as long as it is.
struct Inside {
    door: Arc<Door>,
    is_one_too_many: bool,
}

impl Inside {
    fn enter(door: &Arc<Door>) -> Self {
        let before = door.inside.fetch_add(1, Ordering::Relaxed);
        Self {
            door: door.clone(),
            is_one_too_many: before >= MOST_CONNECTIONS,
        }
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        self.door.inside.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A request that was read: its method, its path and its body.
struct Request {
    method: String,
    path: String,
    body: Vec<u8>,
}

/// Why a request is not answered as it wishes: a status, and words.
struct Refusal(u16, &'static str);

/// What went wrong while a request was read: it is refused, or nobody is there.
enum Trouble {
    Refused(Refusal),
    Gone(io::Error),
}

impl From<Refusal> for Trouble {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Self::Gone(error)
    }
}

/// A request and its answer.
struct Visit {
    stream: TcpStream,
    inside: Inside,
}

impl Visit {
    fn serve(&mut self) -> io::Result<()> {
        self.stream.set_write_timeout(Some(PATIENCE))?;
        self.stream.set_nodelay(true)?;
        if self.inside.is_one_too_many {
            return self.refuse(Refusal(503, "too many requests at once"));
        }
        match self.read() {
            Ok(request) => self.reply(&request),
            Err(Trouble::Refused(refusal)) => self.refuse(refusal),
            Err(Trouble::Gone(error)) => Err(error),
        }
    }

    /// Reads more of the request, which must be here in time.
    fn read_more(&mut self, bytes: &mut Vec<u8>, until: Instant) -> Result<(), Trouble> {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Refusal(408, "the request did not come in time").into());
        }
        self.stream.set_read_timeout(Some(left))?;
        let mut part = [0; 4096];
        match self.stream.read(&mut part) {
            Ok(0) => Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
            Ok(count) => {
                bytes.extend_from_slice(&part[..count]);
                Ok(())
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => Ok(()),
            Err(e)
                if matches!(
                    e.kind(),
                    io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
                ) =>
            {
                Err(Refusal(408, "the request did not come in time").into())
            }
            Err(e) => Err(e.into()),
        }
    }

    /// Reads a request and sees that it is for this server.
    fn read(&mut self) -> Result<Request, Trouble> {
        let until = Instant::now() + PATIENCE;
        let mut bytes = Vec::new();
        let (mut request, begins, length) = loop {
            self.read_more(&mut bytes, until)?;
            if let Some(read) = self.head(&bytes)? {
                break read;
            }
            if bytes.len() > LARGEST_HEAD {
                return Err(Refusal(431, "the request's headers are too large").into());
            }
        };
        while bytes.len() < begins + length {
            self.read_more(&mut bytes, until)?;
        }
        request.body = bytes[begins..begins + length].to_vec();
        Ok(request)
    }

    /// What the headers say, once they are all here: the request without its body, where that begins, and how long
    /// it is.
    fn head(&self, bytes: &[u8]) -> Result<Option<(Request, usize, usize)>, Refusal> {
        let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
        let mut request = httparse::Request::new(&mut headers);
        let begins = match request.parse(bytes) {
            Ok(httparse::Status::Complete(begins)) if begins <= LARGEST_HEAD => begins,
            Ok(httparse::Status::Complete(_)) | Err(httparse::Error::TooManyHeaders) => {
                return Err(Refusal(431, "the request's headers are too large"));
            }
            Ok(httparse::Status::Partial) => return Ok(None),
            Err(_) => return Err(Refusal(400, "this is no HTTP request")),
        };
        let (Some(method), Some(path)) = (request.method, request.path) else {
            return Err(Refusal(400, "this is no HTTP request"));
        };
        let only = |name: &str| {
            let mut all = request.headers.iter();
            let mut all = all.by_ref().filter(|h| h.name.eq_ignore_ascii_case(name));
            match (all.next(), all.next()) {
                (first, None) => Ok(first.map(|header| header.value)),
                _ => Err(Refusal(400, "a header is there twice")),
            }
        };
        let hosts =
            ["127.0.0.1", "localhost"].map(|name| format!("{name}:{}", self.inside.door.port));
        let host = only("host")?;
        if !host.is_some_and(|host| hosts.iter().any(|own| own.as_bytes() == host)) {
            return Err(Refusal(403, "this server has another name"));
        }
        let mut length = 0;
        if method != "GET" {
            let origin = only("origin")?.and_then(|origin| origin.strip_prefix(b"http://"));
            if origin.is_none() || origin != host {
                return Err(Refusal(403, "only the page itself may ask for this"));
            }
            if only("transfer-encoding")?.is_some() {
                return Err(Refusal(411, "say how long the body is"));
            }
            let told = only("content-length")?.and_then(|told| std::str::from_utf8(told).ok());
            let told = told.filter(|told| told.bytes().all(|b| b.is_ascii_digit()));
            length = match told.map(str::parse::<usize>) {
                Some(Ok(length)) if length <= LARGEST_BODY => length,
                Some(_) => return Err(Refusal(413, "the body is too large")),
                None => return Err(Refusal(411, "say how long the body is")),
            };
        }
        let request = Request {
            method: method.to_owned(),
            path: path.to_owned(),
            body: Vec::new(),
        };
        Ok(Some((request, begins, length)))
    }

    fn reply(&mut self, request: &Request) -> io::Result<()> {
        const NOT_HERE: Refusal = Refusal(404, "there is no such thing here");
        let Some(what) = self.inside.door.admitted(&request.path) else {
            return self.refuse(NOT_HERE);
        };
        let site = self.inside.door.site.clone();
        match (request.method.as_str(), what.as_str()) {
            ("GET", "") => self.answer(200, "text/html; charset=utf-8", site.page.as_bytes()),
            ("GET", "events") => self.tell(&site.events),
            ("POST", what) => match (site.answer)(what, &request.body) {
                Some(Ok(answer)) => self.answer_json(200, &answer),
                Some(Err(words)) => self.answer_json(400, &json!({ "words": words })),
                None => self.refuse(NOT_HERE),
            },
            ("GET", _) => self.refuse(NOT_HERE),
            _ => self.refuse(Refusal(405, "this cannot be asked for")),
        }
    }

    /// Tells all that happens for as long as it is listened to.
    fn tell(&mut self, events: &Broadcast) -> io::Result<()> {
        self.begin(200, "text/event-stream", None)?;
        let mut listener = events.listener();
        loop {
            match listener.next(HEARTBEAT) {
                Ok(message) => {
                    self.stream.write_all(b"data: ")?;
                    self.stream.write_all(message.as_bytes())?;
                    self.stream.write_all(b"\n\n")?;
                }
                Err(Silence::ForNow) => self.stream.write_all(b":\n\n")?,
                Err(Silence::ForGood) => return Ok(()),
            }
        }
    }

    fn refuse(&mut self, Refusal(status, words): Refusal) -> io::Result<()> {
        self.answer_json(status, &json!({ "words": words }))?;
        // What is still on its way is taken, for a connection closed with something unread loses the answer.
        self.stream.shutdown(std::net::Shutdown::Write)?;
        self.stream
            .set_read_timeout(Some(Duration::from_millis(200)))?;
        let mut rest = [0; 4096];
        let until = Instant::now() + Duration::from_millis(500);
        while Instant::now() < until && self.stream.read(&mut rest)? > 0 {}
        Ok(())
    }

    fn answer_json(&mut self, status: u16, body: &Value) -> io::Result<()> {
        self.answer(status, "application/json", body.to_string().as_bytes())
    }

    fn answer(&mut self, status: u16, kind: &str, body: &[u8]) -> io::Result<()> {
        self.begin(status, kind, Some(body.len()))?;
        self.stream.write_all(body)?;
        self.stream.flush()
    }

    /// The headers of an answer: it is shown by no other page and kept nowhere, and leads nowhere else.
    fn begin(&mut self, status: u16, kind: &str, length: Option<usize>) -> io::Result<()> {
        let reason = match status {
            200 => "OK",
            400 => "Bad Request",
            403 => "Forbidden",
            404 => "Not Found",
            405 => "Method Not Allowed",
            408 => "Request Timeout",
            411 => "Length Required",
            413 => "Content Too Large",
            431 => "Request Header Fields Too Large",
            _ => "Service Unavailable",
        };
        let length = length.map_or_else(String::new, |n| format!("Content-Length: {n}\r\n"));
        let head = format!(
            "HTTP/1.1 {status} {reason}\r\n\
             Content-Type: {kind}\r\n\
             {length}\
             Connection: close\r\n\
             Cache-Control: no-store\r\n\
             Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; \
             img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n\
             Cross-Origin-Resource-Policy: same-origin\r\n\
             Referrer-Policy: no-referrer\r\n\
             X-Content-Type-Options: nosniff\r\n\r\n"
        );
        self.stream.write_all(head.as_bytes())
    }
}

impl Door {
    /// What lies behind the token in a path, if it is the token; it takes as long to tell whichever it is.
    fn admitted(&self, path: &str) -> Option<String> {
        let (token, what) = path.strip_prefix('/')?.split_once('/')?;
        if token.len() != self.token.len() {
            return None;
        }
        let pairs = token.bytes().zip(self.token.bytes());
        let differs = pairs.fold(0, |differs, (a, b)| differs | (a ^ b));
        (differs == 0).then(|| what.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread::sleep;

    fn server() -> Server {
        let site = Site {
            page: "<p>here</p>".to_owned(),
            events: Broadcast::default(),
            answer: Box::new(|what, body| {
                (what == "echo").then(|| match std::str::from_utf8(body) {
                    Ok("wrong") => Err("this is wrong".to_owned()),
                    body => Ok(json!({ "heard": body.unwrap_or("nothing") })),
                })
            }),
        };
        Server::start(site).unwrap()
    }

    /// A server's port and token.
    fn parts(server: &Server) -> (u16, &str) {
        let rest = server.address.strip_prefix("http://127.0.0.1:").unwrap();
        let (port, token) = rest.split_once('/').unwrap();
        (port.parse().unwrap(), token.strip_suffix('/').unwrap())
    }

    fn connect(server: &Server) -> TcpStream {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, parts(server).0)).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        stream
    }

    /// The status of the answer to these bytes, and its body; no status if there is no answer.
    fn ask(server: &Server, bytes: &[u8]) -> (u16, String) {
        let mut stream = connect(server);
        // It may be refused before it is all written.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8(answer).unwrap();
        let Some((head, body)) = answer.split_once("\r\n\r\n") else {
            return (0, answer);
        };
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, body.to_owned())
    }

    fn get(server: &Server, path: &str) -> (u16, String) {
        let port = parts(server).0;
        let request = format!("GET {path} HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n");
        ask(server, request.as_bytes())
    }

    fn post(server: &Server, path: &str, origin: &str, body: &str) -> (u16, String) {
        let (port, token) = parts(server);
        let length = body.len();
        let request = format!(
            "POST /{token}/{path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: {origin}\r\n\
             Content-Length: {length}\r\n\r\n{body}"
        );
        ask(server, request.as_bytes())
    }

    #[test]
    fn the_page_is_there_with_the_token_and_nothing_is_without() {
        let server = server();
        let token = parts(&server).1;
        assert_eq!(token.len(), 32);
        assert_eq!(
            get(&server, &format!("/{token}/")),
            (200, "<p>here</p>".to_owned())
        );
        let wrong = "0".repeat(32);
        let others = [
            "/".to_owned(),
            "/etc/passwd".to_owned(),
            format!("/{token}"),
            format!("/{wrong}/"),
            format!("/{}/", &token[..31]),
            format!("/{token}/../../etc/passwd"),
            format!("/{token}/%2e%2e/%2e%2e/etc/passwd"),
            format!("/{token}/index.html"),
            format!("/{token}//etc/passwd"),
            format!("http://127.0.0.1/{token}/"),
            format!("/{token}/?a"),
        ];
        for path in others {
            assert_eq!(get(&server, &path).0, 404, "{path}");
        }
        let another = self::server();
        assert_ne!(parts(&another).1, token);
    }

    #[test]
    fn another_name_and_another_origin_are_refused() {
        let server = server();
        let (port, token) = parts(&server);
        let hosts = [
            "Host: evil.example\r\n".to_owned(),
            format!("Host: evil.example:{port}\r\n"),
            "Host: 127.0.0.1\r\n".to_owned(),
            format!("Host: 127.0.0.1:{port}\r\nHost: evil.example\r\n"),
            String::new(),
        ];
        for host in hosts {
            let request = format!("GET /{token}/ HTTP/1.1\r\n{host}\r\n");
            let status = ask(&server, request.as_bytes()).0;
            assert!(matches!(status, 400 | 403), "{host}: {status}");
        }
        let own = format!("http://127.0.0.1:{port}");
        let heard = (200, "{\"heard\":\"x\"}".to_owned());
        assert_eq!(post(&server, "echo", &own, "x"), heard);
        for origin in ["http://evil.example", "null", "", "https://127.0.0.1"] {
            assert_eq!(post(&server, "echo", origin, "x").0, 403, "{origin}");
        }
        assert_eq!(post(&server, "other", &own, "x").0, 404);
        let wrong = (400, "{\"words\":\"this is wrong\"}".to_owned());
        assert_eq!(post(&server, "echo", &own, "wrong"), wrong);
    }

    #[test]
    fn what_is_no_request_or_too_large_is_refused() {
        let server = server();
        let (port, token) = parts(&server);
        let begin = |method: &str| {
            format!(
                "{method} /{token}/echo HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\n"
            )
        };
        let cases = [
            ("\u{1}\u{2}nonsense\r\n\r\n".to_owned(), 400),
            ("GET / HTTP/9.9\r\n\r\n".to_owned(), 400),
            (format!("{}a b: c\r\n\r\n", begin("GET")), 400),
            (
                format!("{}{}\r\n", begin("GET"), "a: b\r\n".repeat(100)),
                431,
            ),
            (
                format!("{}a: {}\r\n\r\n", begin("GET"), "x".repeat(20_000)),
                431,
            ),
            (
                format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(100_000)),
                431,
            ),
            (format!("{}\r\n", begin("POST")), 411),
            (
                format!(
                    "{}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                    begin("POST")
                ),
                411,
            ),
            (format!("{}Content-Length: -1\r\n\r\n", begin("POST")), 411),
            (
                format!(
                    "{}Content-Length: 99999999999999999999999\r\n\r\n",
                    begin("POST")
                ),
                413,
            ),
            (
                format!("{}Content-Length: 1000000\r\n\r\n", begin("POST")),
                413,
            ),
            (
                format!(
                    "{}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
                    begin("POST")
                ),
                400,
            ),
            (format!("{}Content-Length: 0\r\n\r\n", begin("DELETE")), 405),
        ];
        for (request, status) in cases {
            let shown: String = request.chars().take(200).collect();
            assert_eq!(ask(&server, request.as_bytes()).0, status, "{shown}");
        }
        // And it goes on.
        assert_eq!(get(&server, &format!("/{token}/")).0, 200);
    }

    #[test]
    fn who_is_slow_blocks_nobody_and_is_left_in_the_end() {
        let server = server();
        let token = parts(&server).1.to_owned();
        let mut slow: Vec<TcpStream> = (0..MOST_CONNECTIONS / 2)
            .map(|_| connect(&server))
            .collect();
        for stream in &mut slow {
            stream.write_all(b"GET / HTTP/1.1\r\na: b").unwrap();
        }
        // Some listen and take nothing of what they are told.
        server.site.events.begin("x".repeat(1 << 20));
        let deaf: Vec<TcpStream> = (0..5)
            .map(|_| {
                let mut stream = connect(&server);
                let port = parts(&server).0;
                let request =
                    format!("GET /{token}/events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n");
                stream.write_all(request.as_bytes()).unwrap();
                stream
            })
            .collect();
        let began = Instant::now();
        for number in 0..40 {
            server
                .site
                .events
                .say(format!("{number}{}", "y".repeat(1 << 18)));
            assert_eq!(get(&server, &format!("/{token}/")).0, 200);
        }
        assert!(began.elapsed() < PATIENCE, "{:?}", began.elapsed());
        // A byte now and then does not keep a connection.
        let until = Instant::now() + 2 * PATIENCE;
        let last = slow.last_mut().unwrap();
        last.set_read_timeout(Some(Duration::from_millis(100)))
            .unwrap();
        loop {
            assert!(
                Instant::now() < until,
                "a slow request is waited for without end"
            );
            let _ = last.write_all(b"b");
            if last.read(&mut [0; 512]).is_ok() {
                break;
            }
        }
        assert!(began.elapsed() >= PATIENCE, "{:?}", began.elapsed());
        drop(deaf);
    }

    #[test]
    fn there_are_only_so_many_at_a_time() {
        let server = server();
        let token = parts(&server).1.to_owned();
        let crowd: Vec<TcpStream> = (0..MOST_CONNECTIONS).map(|_| connect(&server)).collect();
        let page = format!("/{token}/");
        let until = Instant::now() + Duration::from_secs(2);
        while get(&server, &page).0 != 503 {
            assert!(Instant::now() < until, "all are let in");
        }
        drop(crowd);
        let until = Instant::now() + Duration::from_secs(2);
        while get(&server, &page).0 != 200 {
            assert!(Instant::now() < until, "nobody is let in again");
            sleep(Duration::from_millis(10));
        }
    }

    #[test]
    fn listeners_hear_what_is_told_from_the_last_beginning_on() {
        let server = server();
        let (port, token) = parts(&server);
        server.site.events.begin("{\"run\":1}".to_owned());
        let mut stream = connect(&server);
        let request = format!("GET /{token}/events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        sleep(Duration::from_millis(50));
        server.site.events.say("{\"n\":2}".to_owned());
        server
            .site
            .events
            .end("{\"bye\":true}".to_owned(), Duration::from_secs(5));
        let mut heard = String::new();
        stream.read_to_string(&mut heard).unwrap();
        assert!(heard.contains("text/event-stream"), "{heard}");
        assert!(
            heard.ends_with("data: {\"run\":1}\n\ndata: {\"n\":2}\n\ndata: {\"bye\":true}\n\n"),
            "{heard}"
        );
    }
}
