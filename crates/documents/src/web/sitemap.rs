//! Maps of sites, by sitemaps.org: XML or a list of lines, packed with gzip or not.

use std::io::Read as _;

use flate2::read::MultiGzDecoder;
use svc_contract::value::units::show_size;

use super::xml::{Piece, decoded, walk};

/// The size limit of a map without packing, as the format has it.
const LARGEST: u64 = 50 << 20;

/// What a map names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sitemap {
    /// The addresses of pages.
    pub pages: Vec<String>,
    /// The addresses of further maps.
    pub maps: Vec<String>,
}

/// Reads the first `most` addresses of a map. What follows a mistake in it is left out.
pub fn sitemap(
    content: &[u8],
    most: usize,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Sitemap, String> {
    let plain = unpacked(content)?;
    let text = decoded(plain.as_deref().unwrap_or(content), "");
    let mut found = Sitemap::default();
    if !text.trim_start().starts_with('<') {
        let is_address = |it: &&str| it.starts_with("http://") || it.starts_with("https://");
        let lines = text.lines().map(str::trim).filter(is_address);
        found.pages = lines.take(most).map(str::to_owned).collect();
        return Ok(found);
    }
    let mut kind = String::new();
    let mut parent = String::new();
    let read = walk(&text, is_stopped, &mut |depth, piece| {
        match piece {
            Piece::Start { name, .. } if depth == 0 => name.clone_into(&mut kind),
            Piece::Start { name, .. } if depth == 1 => name.clone_into(&mut parent),
            Piece::End { name: "loc", text, .. } if depth == 2 => {
                let address = text.trim().to_owned();
                match (kind.as_str(), parent.as_str()) {
                    ("urlset", "url") => found.pages.push(address),
                    ("sitemapindex", "sitemap") => found.maps.push(address),
                    _ => {}
                }
            }
            _ => {}
        }
        found.pages.len() + found.maps.len() < most
    });
    match read {
        _ if !matches!(kind.as_str(), "urlset" | "sitemapindex") => {
            Err("it is not a map of a site".to_owned())
        }
        Err(why) if found == Sitemap::default() => Err(why),
        _ => Ok(found),
    }
}

/// The content of gzip, or nothing if it is not packed.
fn unpacked(content: &[u8]) -> Result<Option<Vec<u8>>, String> {
    if !content.starts_with(&[0x1f, 0x8b]) {
        return Ok(None);
    }
    let mut plain = Vec::new();
    let mut reader = MultiGzDecoder::new(content).take(LARGEST + 1);
    reader.read_to_end(&mut plain).map_err(|err| format!("damaged gzip: {err}"))?;
    if plain.len() as u64 > LARGEST {
        return Err(format!("it is larger than {} without packing", show_size(LARGEST)));
    }
    Ok(Some(plain))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn of(content: &[u8]) -> Result<Sitemap, String> {
        sitemap(content, 1_000, &|| false)
    }

    fn packed(content: &[u8]) -> Vec<u8> {
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        writer.write_all(content).unwrap();
        writer.finish().unwrap()
    }

    #[test]
    fn a_map_names_pages_and_an_index_names_maps() {
        let map = br#"<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
            xmlns:image="i"><url><loc> https://a.example/x?a=1&amp;b=2 </loc><image:image><image:loc>https://a.example/i.png
            </image:loc></image:image></url><url><loc><![CDATA[https://a.example/y]]></loc></url></urlset>"#;
        let wanted = ["https://a.example/x?a=1&b=2", "https://a.example/y"];
        assert_eq!(of(map).unwrap().pages, wanted);
        assert_eq!(of(&packed(map)).unwrap().pages, wanted);
        let prefixed =
            b"<s:urlset xmlns:s='x'><s:url><s:loc>https://a.example/</s:loc></s:url></s:urlset>";
        assert_eq!(of(prefixed).unwrap().pages, ["https://a.example/"]);
        let index = b"<sitemapindex><sitemap><loc>https://a.example/1.xml.gz</loc></sitemap></sitemapindex>";
        assert_eq!(of(index).unwrap().maps, ["https://a.example/1.xml.gz"]);
        let lines = b"\xef\xbb\xbfhttps://a.example/1\r\nnot an address\nhttps://a.example/2";
        assert_eq!(of(lines).unwrap().pages, ["https://a.example/1", "https://a.example/2"]);
        assert_eq!(sitemap(map, 1, &|| false).unwrap().pages.len(), 1);
    }

    #[test]
    fn what_is_not_a_map_is_an_error() {
        assert_eq!(of(b"<html><body>Not found").unwrap_err(), "it is not a map of a site");
        assert!(of(b"\x1f\x8bxx").unwrap_err().contains("damaged gzip"));
        let cut = b"<urlset><url><loc>https://a.example/1</loc></url><url><lo";
        assert_eq!(of(cut).unwrap().pages.len(), 1);
    }

    #[test]
    fn bombs_are_refused() {
        let bomb = packed(&vec![b' '; 60 << 20]);
        assert!(bomb.len() < 100_000);
        assert!(of(&bomb).unwrap_err().contains("larger than 50MiB"));
        let deep = format!("<urlset>{}", "<url>".repeat(100_000));
        assert!(of(deep.as_bytes()).unwrap_err().contains("nested"));
    }
}
