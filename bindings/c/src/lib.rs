//! The C interface of svc. `include/svc.h` is generated from what is exported here.
//!
//! Handles are boxes whose pointers C keeps. Everything else crosses as text.

mod call;
mod engine;
mod plan;
mod run;
mod status;
mod text;

pub use call::{
    SvcCall, SvcFreeFunction, SvcOpFunction, svc_call_fail, svc_call_is_cancelled, svc_call_return,
};
pub use engine::{
    SvcEngine, svc_check, svc_engine_add_op, svc_engine_free, svc_engine_new, svc_engine_set_policy,
};
pub use plan::{SvcPlan, svc_plan_free, svc_plan_json, svc_plan_new};
pub use run::{
    SvcRun, svc_run, svc_run_cancel, svc_run_free, svc_run_join, svc_run_next_event, svc_start,
    svc_start_plan,
};
pub use status::SvcStatus;
pub use text::{svc_string_free, svc_version};
