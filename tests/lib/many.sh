# shellcheck shell=bash
# Sourced where many small programs are compiled: starting a compiler and
# reading headers takes longer than forty lines of CUDA.

# many FOLDER NAME...: the programs FOLDER/NAME.cu as one source, each in a
# namespace of its own; the first argument of what is compiled from it says
# which one runs.  NAME+WORD: with -DWORD.  File and line stay those of NAME.cu.
many() {
    local folder=$1 name file word
    shift
    for name; do
        file=${name%+*} word=
        [ "$file" = "$name" ] || word=${name#*+}
        echo "namespace $(space_of "$name") {"
        [ -z "$word" ] || echo "#define $word"
        printf '#define %s\n' "main run" "__BASE_FILE__ \"$file.cu\""
        echo "#line 1 \"$folder/$file.cu\""
        sed '$s/^}$/return 0; }/' "$folder/$file.cu"    # main returns
        printf '#undef %s\n' main __BASE_FILE__ ${word:+"$word"}
        echo "}"
    done
    echo "int main(int, char **argv) {"
    for name; do
        echo "if (!strcmp(argv[1], \"$name\")) return $(space_of "$name")::run();"
    done
    echo "return 99; }"
}
space_of() { echo "p_$1" | tr -c 'A-Za-z0-9\n' _; }
