#!/bin/sh
# The next line splits a name that has a blank.
cp $1 copy
# shellcheck disable=SC2086     # options, each a word
cp $OPTIONS "$1" copy
