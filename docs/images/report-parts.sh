#!/bin/sh
# Makes report-parts.png: the page of a simulated study with its parts numbered as docs/report.md
# names them. Needs a release build and Chromium: sh docs/images/report-parts.sh
set -eu
cd "$(dirname "$0")/../.."
made=$(mktemp -d)
trap 'rm -r "$made"' EXIT
export XDG_DATA_HOME="$made" PATH="$PWD/target/release:$PATH"
iopath simulate studies/cloud-token-bucket.kdl --keep --no-report --no-progress > "$made/text"
iopath report last --output "$made/page.html" > "$made/text"

# A mark before the first thing of its kind; the section's name is its anchor.
mark() {
    printf '%s::before { content: "%s"; background: #c2261b; color: #fff; border-radius: 50%%; ' "$2" "$1"
    printf 'display: inline-block; width: 1.6em; line-height: 1.6em; text-align: center; margin-right: .5em }\n'
}
{
    echo '<style>'
    mark 1 '#verdict p.verdict:first-of-type'
    mark 2 '#verdict th:first-child'
    mark 3 '#sweeps figure:first-of-type figcaption strong'
    mark 4 '#limit h2'
    mark 5 '.choice label'
    mark 6 '#path figcaption strong'
    mark 7 '#time figure:first-of-type figcaption strong'
    # One chart of a kind is enough.
    echo '#sweeps figure:nth-of-type(n+2) { display: none }'
    echo '</style>'
} >> "$made/page.html"
chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$made/browser" \
    --virtual-time-budget=10000 --force-device-scale-factor=0.6 --window-size=1000,2820 \
    --screenshot="$PWD/docs/images/report-parts.png" "file://$made/page.html" 2> "$made/browser.log"
