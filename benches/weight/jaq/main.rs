use jaq_core::{
    Compiler, Ctx, RcIter,
    load::{Arena, File, Loader},
};
use jaq_json::Val;

fn main() {
    let arena = Arena::default();
    let loader = Loader::new(jaq_std::defs().chain(jaq_json::defs()));
    let modules = loader.load(&arena, File { code: ". + 2", path: () }).unwrap();
    let filter = Compiler::default()
        .with_funs(jaq_std::funs().chain(jaq_json::funs()))
        .compile(modules)
        .unwrap();
    let inputs = RcIter::new(core::iter::empty());
    for value in filter.run((Ctx::new([], &inputs), Val::from(40_isize))) {
        println!("{}", value.unwrap());
    }
}
