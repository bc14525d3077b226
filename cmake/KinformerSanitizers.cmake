# -DKINFORMER_SANITIZE=address,undefined | thread | fuzzer-no-link,address,undefined: applies to all of our code.
set(KINFORMER_SANITIZE "" CACHE STRING "Value for -fsanitize=")
option(KINFORMER_COVERAGE "Instrument for gcov" OFF)

if(KINFORMER_SANITIZE)
  add_compile_options(-fsanitize=${KINFORMER_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${KINFORMER_SANITIZE})
endif()
if(KINFORMER_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
endif()
