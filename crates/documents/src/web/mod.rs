//! Files of the web that programs read: `robots.txt`, maps of sites, and feeds.

mod feed;
mod robots;
mod sitemap;
mod xml;

pub use feed::{Entry, Feed, feed};
pub use robots::Robots;
pub use sitemap::{Sitemap, sitemap};
