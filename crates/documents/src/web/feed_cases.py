"""Feeds with their entries as feedparser reads them.

Usage: feed_cases.py > feed_cases.json. Needs feedparser 6.0. Its texts are HTML; here they are the words of it.
"""
import html
import json
import re
import feedparser

BASE = "https://a.example/blog/feed.xml"
CASES = {
    "RSS 2.0": """<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/">
<channel><title>News &amp; views</title><link>https://a.example/</link><atom:link href="https://a.example/feed" rel="self"/>
<image><title>Logo</title><url>https://a.example/l.png</url></image>
<item><title>First &lt;b&gt;post&lt;/b&gt;</title><link>https://a.example/1</link><guid isPermaLink="false">tag:1</guid><description>Short.</description><content:encoded><![CDATA[<p>The <em>whole</em> text.</p>]]></content:encoded></item>
<item><title><![CDATA[Second & last]]></title><link>/2?a=1&amp;b=2</link><description>&lt;p&gt;Fish &amp;amp; chips&lt;/p&gt;</description></item>
<item><guid>https://a.example/3</guid><description>No title, a link in the guid.</description></item>
</channel></rss>""",
    "Atom": """<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title type="text">Atom &lt;1&gt;</title><id>urn:feed</id>
<entry><title>Plain</title><link rel="edit" href="https://a.example/edit"/><link href="/e/1"/><id>urn:1</id><summary>Sum.</summary><content type="html">&lt;p&gt;Body &lt;i&gt;text&lt;/i&gt;&lt;/p&gt;</content></entry>
<entry><title type="html">Marked &lt;b&gt;up&lt;/b&gt;</title><link rel="alternate" href="https://b.example/2"/><id>urn:2</id><source><title>Elsewhere</title><id>urn:other</id></source><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">Some <b>bold</b> words</div></content></entry>
<entry><title>Third</title><link href="3"/><id>urn:3</id><summary type="text">a &lt; b</summary></entry></feed>""",
    "RSS 1.0": """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><channel rdf:about="https://a.example/"><title>RDF</title><items><rdf:Seq><rdf:li resource="https://a.example/1"/></rdf:Seq></items></channel>
<item rdf:about="https://a.example/1"><title>One</title><link>https://a.example/1</link><description>The one.</description></item></rdf:RDF>""",
    "RSS 0.91": """<rss version="0.91"><channel><title>Old</title><item><title>Caf&#233; &eacute;</title><link>https://a.example/o</link></item></channel></rss>""",
    "prefixed Atom": """<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:title>P</a:title><a:entry><a:id>urn:p</a:id><a:title>T</a:title><a:link href="https://a.example/p"/><a:summary>S</a:summary></a:entry></a:feed>""",
}


def words(text):
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", text)).split())


def entry(it):
    contents = [c.value for c in it.get("content", [])] + [it.get("summary", "")]
    kinds = [c.type for c in it.get("content", [])] + [it.get("summary_detail", {}).get("type", "text/html")]
    text, kind = next(((c, k) for c, k in zip(contents, kinds) if c), ("", ""))
    return dict(id=it.get("id", ""), title=words(it.get("title", "")), link=it.get("link", ""),
                text=" ".join(text.split()) if kind == "text/plain" else words(text))


def main():
    cases = []
    for name, feed in CASES.items():
        read = feedparser.parse(feed.encode(), response_headers={"content-location": BASE, "content-type": "application/xml"})
        title = read.feed.get("title", "")
        cases.append(dict(name=name, feed=feed, title=html.unescape(title), entries=[entry(it) for it in read.entries]))
    print(json.dumps(cases, indent=1, ensure_ascii=True))


main()
