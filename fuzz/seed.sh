#!/bin/sh
# Fills the corpora: every script of tests/ and examples/, and every example that the
# components have in their source. Seeds are named by their digests, so running it
# again adds nothing twice.
set -eu
cd "$(dirname "$0")/.."
for target in parse check fmt fix; do mkdir -p "fuzz/corpus/$target"; done
find tests/scripts tests/format examples crates/components \( -name '*.svc' -o -name '*.rs' \) 2>/dev/null |
    xargs perl -MDigest::MD5=md5_hex -e '
        sub seed {
            my $script = shift;
            for my $target ("parse", "check", "fmt", "fix") {
                open my $out, ">", "fuzz/corpus/$target/" . md5_hex($script) or die $!;
                print $out $script;
            }
        }
        sub unescaped {
            my $text = shift;
            $text =~ s/\\n/\n/g;
            $text =~ s/\\\n\s*//g;
            $text =~ s/\\(["\\])/$1/g;
            return $text;
        }
        my $text = qr/"(?:[^"\\]|\\.)*"/s;
        my $script = qr/r#"(.*?)"#|r"([^"]*)"|"((?:[^"\\]|\\.)*)"/s;
        undef $/;
        while (<>) {
            if ($ARGV =~ /\.svc$/) { seed($_); next; }
            seed($1 // $2 // unescaped($3)) while /Example::(?:ok|err)\(\s*$text,\s*$script/g;
        }'
for target in parse check fmt fix; do echo "$target: $(ls fuzz/corpus/$target | wc -l) seeds"; done
