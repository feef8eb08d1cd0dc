# The agent for machines that are not known: glibc 2.17, no C++ library but what is linked in. scripts/portable-agents
# prepares the two folders and chooses the compiler.
#   SPARKPROF_PORTABLE_HEADERS  only the header-only libraries (never the whole of /usr/include: it is another machine's)
#   SPARKPROF_ZSTD_SOURCE       zstd.c and zstd.h, zstd's sources in one file

add_library(zstd STATIC ${SPARKPROF_ZSTD_SOURCE}/zstd.c)
target_include_directories(zstd SYSTEM PUBLIC ${SPARKPROF_ZSTD_SOURCE})
target_compile_definitions(zstd PRIVATE ZSTD_DISABLE_ASM=1 ZSTD_LEGACY_SUPPORT=0 ZSTD_TRACE=0)
target_compile_options(zstd PRIVATE -w)
add_library(zstd::libzstd_shared ALIAS zstd)

add_library(fmt INTERFACE)
target_compile_definitions(fmt INTERFACE FMT_HEADER_ONLY)
add_library(fmt::fmt ALIAS fmt)

include_directories(SYSTEM ${SPARKPROF_PORTABLE_HEADERS})
add_compile_options(-ffunction-sections -fdata-sections)
add_link_options(-Wl,--gc-sections -Wl,-s)
