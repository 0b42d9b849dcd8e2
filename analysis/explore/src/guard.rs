//! Who may ask: the address has a random token, names this computer, and no page of another origin is behind the question.

use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderName, Method};

/// Header by which browsers tell from where a request comes.
const SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Guard of a server: token and port.
#[derive(Debug)]
pub(crate) struct RequestGuard {
    token: String,
    port: u16,
}

/// Reason for which a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// The request names another host, as after a name was bound to this computer.
    Host,
    /// A page of another origin has sent it.
    Origin,
    /// The token is wrong or lacks.
    Token,
}

impl Refused {
    /// Returns the sentence for the user.
    pub(crate) fn sentence(self) -> &'static str {
        match self {
            Self::Host => {
                "This explorer answers to 127.0.0.1 and localhost only; open the address that `cp2 explore` printed."
            }
            Self::Origin => {
                "This explorer answers to its own page only; a page of another origin has asked."
            }
            Self::Token => {
                "The token in this address is not that of the explorer which answers here; open the address that the last `cp2 explore` printed."
            }
        }
    }
}

impl RequestGuard {
    pub(crate) fn new(token: String, port: u16) -> Self {
        Self { token, port }
    }

    /// Returns the address of the page.
    pub(crate) fn address(&self) -> String {
        format!("http://127.0.0.1:{}/{}/", self.port, self.token)
    }

    /// Returns the part of the path behind the token.
    pub(crate) fn checked<'p>(
        &self,
        method: &Method,
        headers: &HeaderMap,
        path: &'p str,
    ) -> Result<&'p str, Refused> {
        let own = ["127.0.0.1", "localhost"].map(|host| format!("{host}:{}", self.port));
        // Browsers leave the port of http out.
        let is_own = |name: &str| {
            own.iter().any(|own| own == name)
                || (self.port == 80 && ["127.0.0.1", "localhost"].contains(&name))
        };
        let text = |name: &HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
        if headers.get_all(HOST).iter().count() != 1 || !text(&HOST).is_some_and(is_own) {
            return Err(Refused::Host);
        }
        let is_ours = |origin: &str| origin.strip_prefix("http://").is_some_and(is_own);
        if text(&ORIGIN).is_some_and(|origin| !is_ours(origin)) {
            return Err(Refused::Origin);
        }
        // A link elsewhere may lead to the page, and nowhere else.
        let is_page = *method == Method::GET && path.ends_with('/');
        if text(&SITE).is_some_and(|site| !["same-origin", "none"].contains(&site)) && !is_page {
            return Err(Refused::Origin);
        }
        let rest = path.strip_prefix('/').unwrap_or(path);
        let (token, rest) = rest.split_once('/').unwrap_or((rest, ""));
        match self.is_token(token) {
            true => Ok(rest),
            false => Err(Refused::Token),
        }
    }

    /// Compares a token in a time that does not depend on where it differs.
    fn is_token(&self, token: &str) -> bool {
        let differ = self.token.bytes().zip(token.bytes()).fold(0, |all, (a, b)| all | (a ^ b));
        token.len() == self.token.len() && differ == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn asked(
        method: &Method,
        headers: &[(HeaderName, &str)],
        path: &str,
    ) -> Result<String, Refused> {
        let guard = RequestGuard::new("abc".to_owned(), 8000);
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(name, HeaderValue::from_str(value).expect("a value"));
        }
        guard.checked(method, &map, path).map(str::to_owned)
    }

    #[test]
    fn only_this_computer_and_its_own_page_may_ask() {
        let host = (HOST, "127.0.0.1:8000");
        assert_eq!(
            asked(&Method::GET, std::slice::from_ref(&host), "/abc/file"),
            Ok("file".to_owned())
        );
        assert_eq!(asked(&Method::GET, &[(HOST, "localhost:8000")], "/abc/"), Ok(String::new()));
        for name in ["evil.example:8000", "127.0.0.1", "127.0.0.1:80", "[::1]:8000", ""] {
            assert_eq!(asked(&Method::GET, &[(HOST, name)], "/abc/"), Err(Refused::Host), "{name}");
        }
        assert_eq!(asked(&Method::GET, &[], "/abc/"), Err(Refused::Host));
        let twice = [host.clone(), (HOST, "evil.example")];
        assert_eq!(asked(&Method::GET, &twice, "/abc/"), Err(Refused::Host));
        for origin in ["http://evil.example", "null", "https://127.0.0.1:8000"] {
            let headers = [host.clone(), (ORIGIN, origin)];
            assert_eq!(
                asked(&Method::POST, &headers, "/abc/save"),
                Err(Refused::Origin),
                "{origin}"
            );
        }
        let own = [host.clone(), (ORIGIN, "http://127.0.0.1:8000"), (SITE, "same-origin")];
        assert_eq!(asked(&Method::POST, &own, "/abc/save"), Ok("save".to_owned()));
        let foreign = [host, (SITE, "cross-site")];
        assert_eq!(asked(&Method::GET, &foreign, "/abc/file"), Err(Refused::Origin));
        assert_eq!(asked(&Method::GET, &foreign, "/abc/"), Ok(String::new()));
    }

    #[test]
    fn a_token_is_whole_or_wrong() {
        for path in ["/", "/ab/", "/abcd/", "/ABC/", "/abd/", "", "/abc%00/"] {
            assert_eq!(
                asked(&Method::GET, &[(HOST, "localhost:8000")], path),
                Err(Refused::Token),
                "{path}"
            );
        }
    }
}
