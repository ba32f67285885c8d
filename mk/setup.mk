# Packages.

# What the targets above need, from Debian or Ubuntu, and what for.
define PACKAGES
build-essential     gcc and make: the programs
noweb               tangle: chapters into code
pandoc              weave: chapters into pages
lua5.4              the loom's own scripts
gnuplot-nox         plots
librsvg2-bin        figures
libcmocka-dev       tests: the C test framework
clang               tests: fuzzers; the software GPU
libclang-rt-dev     tests: clang's sanitizers
libomp-dev          tests: OpenMP for clang
hunspell            lint: spelling
hunspell-en-gb      lint: the British word list
hunspell-en-us      lint: the American word list
shellcheck          lint: shell scripts
openmpi-bin         tests: ranks that mpirun starts
chromium            tests: the pages in a browser
curl                make data-*: downloads
endef
define PACKAGES_PDF
texlive-luatex             the engine
texlive-latex-recommended  LaTeX
texlive-latex-extra        margins, notes, indexes
texlive-fonts-recommended  fonts
fonts-texgyre              the text face
fonts-texgyre-math         mathematics
fonts-jetbrains-mono       the code face
fonts-droid-fallback       the Chinese terms of the glossary
poppler-utils              tests: reading the PDF back
epubcheck                  the EPUB, checked (needs Java)
endef
export PACKAGES PACKAGES_PDF

.PHONY: setup setup-pdf
setup:
	@sh code/weave/setup PACKAGES
setup-pdf:
	@sh code/weave/setup PACKAGES_PDF
