# The pages, the PDF, a volume in one document, the proof reader.

.PHONY: book pages
# The loom is itself tangled, so it has to be up to date before make looks
# at the times of its files: hence the second make.  DRAFT=1 goes on where a
# chapter cites what is not written yet.
book: tangle
	@$(MAKE) --no-print-directory $(if $(findstring -j,$(MAKEFLAGS)),,-j2) pages

HTML  := build/book/html
LOOM  := $(wildcard code/weave/*.lua) code/weave/weave
STYLE := $(HTML)/book.css $(HTML)/book.js
# The pages of an index: the same groups as in code/weave/letters.lua.
LETTERS := a-b c d-f g-l m-o p-r s t-z
SLUGS := $(basename $(notdir $(CHAPTERS))) \
         index figures bibliography errata \
         $(foreach i,chunks identifiers,$i $(LETTERS:%=$i-%))
# Without its library and node the book is woven without a search.
SEARCH := $(if $(wildcard node_modules/minisearch),$(if $(shell command -v \
          node),$(HTML)/search-index.js))
PLOTS := $(patsubst %.gp,build/%.svg,$(wildcard figures/*.gp))

pages: $(SLUGS:%=$(HTML)/%.html) $(STYLE) $(SEARCH)
	@rm -f $(filter-out $^ $(SEARCH:%search-index.js=%minisearch.js),\
	         $(wildcard $(HTML)/*.html $(HTML)/*.js))
	@$(if $(SEARCH),,echo "book: woven without search; make setup brings it")
	@lua5.4 code/weave/moved.lua
	@echo "$(HTML)/index.html"

build/weave/stamp: $(CHAPTERS) book.yaml ERRATA.yaml $(LOOM) \
                   $(wildcard chapters/*.csv) \
                   $(wildcard figures/* figures/data/*) chapters/references.bib
	@code/weave/weave
	@touch $@
$(SLUGS:%=build/weave/%.md) $(SLUGS:%=build/weave/%.lua) \
  $(addprefix build/weave/,book.lua volumes.lua): build/weave/stamp ;
$(HTML)/%.html: build/weave/%.md build/weave/%.lua code/weave/page.template \
                code/weave/page $(addprefix code/weave/,filter.lua html.lua \
                letters.lua glossary.lua after.lua lexer.lua data.lua) \
                chapters/references.bib chapters/glossary.csv | $(PLOTS)
	@code/weave/page $*
$(HTML)/figures.html: build/weave/book.lua
$(HTML)/book.css: code/weave/book.css
	@mkdir -p $(@D); cp $< $@
# The page script, with the search if there is one: hence every time.
SCRIPT := $(addprefix code/weave/,book.js aids.js)
$(HTML)/book.js: $(SCRIPT) code/weave/find.js always
	@mkdir -p $(@D)
	@cat $(SCRIPT) $(if $(SEARCH),code/weave/find.js) > $@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
build/weave/entries.json: build/weave/book.lua code/weave/entries.lua
	@lua5.4 code/weave/entries.lua build/weave
$(HTML)/search-index.js: build/weave/entries.json code/weave/index.mjs \
                         code/weave/words.js package.json
	@mkdir -p $(@D); node code/weave/index.mjs $< $(@D)
.PHONY: always
always: ;
build/figures/%.svg: figures/%.gp code/weave/plot
	@code/weave/plot $< $@
-include $(wildcard build/weave/*.d build/figures/*.d)
# A figure that is gone: the page that named it is made again.
figures/%: ;

# A volume in one document: an EPUB of each, and one page of the first.  Both
# come from the same chapters, so one make has to make both.
.PHONY: epub single bound epub-pages single-pages
epub single: bound
	@:
bound: tangle
	@$(MAKE) --no-print-directory $(if $(findstring -j,$(MAKEFLAGS)),,-j2) \
	    $(addsuffix -pages,$(filter epub single,$(MAKECMDGOALS)))

WHOLE     = $(patsubst %.nw,build/whole/%.json,$(notdir $(1)))
OF_VOLUME = $(shell lua5.4 code/weave/contents.lua $(1) 2> /dev/null)
OF_BOOK  := $(call OF_VOLUME,book)
OF_TOOLS := $(call OF_VOLUME,workshop)
EPUBS    := $(addprefix $(B)/book/moving-bytes,.epub -workshop.epub)
BINDING  := $(addprefix code/weave/,bind bind.lua after.lua html.lua)
single-pages: $(B)/book/moving-bytes.html
	@ls -l $< | awk '{ printf "%s, %.1f MB\n", $$NF, $$5 / 1e6 }'
epub-pages: $(EPUBS)
	@printf '%s\n' $^
build/whole/%.json: build/weave/%.md build/weave/%.lua build/weave/volumes.lua \
                    $(addprefix code/weave/,page-whole whole.lua filter.lua \
                    html.lua letters.lua glossary.lua lexer.lua data.lua) \
                    chapters/glossary.csv | $(PLOTS)
	@code/weave/page-whole $*
$(B)/book/moving-bytes.html: $(call WHOLE,$(OF_BOOK)) $(BINDING) $(SCRIPT) \
                             $(addprefix code/weave/,book.css whole.template)
	@code/weave/bind book $@
$(B)/book/moving-bytes.epub: NAME := book
$(B)/book/moving-bytes.epub: $(call WHOLE,$(OF_BOOK))
$(B)/book/moving-bytes-workshop.epub: NAME := workshop
$(B)/book/moving-bytes-workshop.epub: $(call WHOLE,$(OF_TOOLS))
# Bound under another name, and kept if epubcheck, where it is, has nothing
# to say.
$(EPUBS): $(BINDING) $(addprefix code/weave/,epub.css cover.lua check-epub)
	@code/weave/bind $(NAME) $(B)/whole/$(@F)
	@code/weave/check-epub $(B)/whole/$(@F) || [ $$? = 127 ]
	@mkdir -p $(@D); mv $(B)/whole/$(@F) $@

.PHONY: lint
lint:
	@lua5.4 code/weave/lint.lua

.PHONY: pdf pdf-pages
pdf: tangle
	@$(MAKE) --no-print-directory pdf-pages

PDF     := $(B)/pdf
TEX     := $(patsubst %.nw,$(PDF)/%.tex,$(notdir $(CHAPTERS))) \
           $(PDF)/bibliography.tex
DRAWN   := $(patsubst %.svg,$(PDF)/%.pdf,$(wildcard figures/*.svg)) \
           $(patsubst build/%.svg,$(PDF)/%.pdf,$(PLOTS))

VOLUMES := $(B)/book/moving-bytes.pdf $(B)/book/moving-bytes-workshop.pdf
pdf-pages: $(VOLUMES)
	@for v in book workshop; do \
	    lua5.4 code/weave/lengths.lua build/weave $(PDF)/$$v.places; \
	done
	@printf '%s\n' $^

# page-tex runs pandoc on one chapter; press runs TeX until nothing moves.
$(PDF)/%.tex: build/weave/%.md build/weave/%.lua code/weave/page-tex \
              build/weave/volumes.lua \
              $(addprefix code/weave/,filter.lua latex.lua lexer.lua data.lua) \
              chapters/references.bib
	@code/weave/page-tex $*
define DRAW
	@mkdir -p $(@D)
	@rsvg-convert --format=pdf --stylesheet=code/weave/figure.css --output=$@.new $<
	@mv $@.new $@
endef
$(PDF)/figures/%.pdf: figures/%.svg code/weave/figure.css
	$(DRAW)
$(PDF)/figures/%.pdf: build/figures/%.svg code/weave/figure.css
	$(DRAW)
$(PDF)/book.tex: build/weave/stamp code/weave/book-tex.lua $(TEX)
	@lua5.4 code/weave/book-tex.lua build/weave/book.lua $(PDF)
# A volume is pressed under its name in book.yaml.
$(B)/book/moving-bytes.pdf: NAME := book
$(B)/book/moving-bytes-workshop.pdf: NAME := workshop
$(VOLUMES): $(PDF)/book.tex $(TEX) $(DRAWN) \
              $(addprefix code/weave/,press press.sty places.lua read-log.lua)
	@code/weave/press $(PDF) $(NAME)
	@mkdir -p $(@D); cp $(PDF)/$(NAME).pdf $@.new; mv $@.new $@
