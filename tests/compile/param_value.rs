//! Values of requests of types that the language does not have.

struct Ask;

fn main() {
    let request = svc::engine().run("param ask: json\nask").param("ask", Ask);
    let _ = async { request.await?.get::<std::net::IpAddr>().map_err(svc_error) };
}

fn svc_error(it: svc::value::TypeMismatch) -> svc::Error {
    panic!("{it}")
}
