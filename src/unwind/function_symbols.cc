// SPDX-License-Identifier: Apache-2.0
#include "unwind/function_symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

namespace sparkprof {
namespace {

constexpr size_t kMaxSections = 65536;
constexpr uint64_t kMaxSymbols = 1 << 23;
constexpr size_t kSymbolsPerRead = 4096;
constexpr size_t kLongestName = 16 << 10;

bool ReadAt(const FileDescriptor& file, void* bytes, size_t size, uint64_t offset) {
  return offset <= INT64_MAX &&
         pread(file.Get(), bytes, size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size);
}

}  // namespace

Result<FunctionSymbols> FunctionSymbols::Open(const std::string& path) {
  FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.IsOpen()) return tl::unexpected(SystemError(path, "cannot open"));
  Elf64_Ehdr header;
  if (!ReadAt(file, &header, sizeof header, 0) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) {
    return Fail(path + ": offset 0: expected a 64-bit ELF file");
  }
  if (header.e_shnum == 0 || header.e_shentsize != sizeof(Elf64_Shdr)) return Fail(path + ": no sections");
  std::vector<Elf64_Shdr> sections(std::min<size_t>(header.e_shnum, kMaxSections));
  if (!ReadAt(file, sections.data(), sections.size() * sizeof(Elf64_Shdr), header.e_shoff)) {
    return Fail(path + ": truncated sections");
  }
  const Elf64_Shdr* table = nullptr;
  for (const Elf64_Shdr& section : sections) {
    // Prefer the complete table to the linker's.
    const bool is_complete = section.sh_type == SHT_SYMTAB;
    if (is_complete || (section.sh_type == SHT_DYNSYM && table == nullptr)) table = &section;
    if (is_complete) break;
  }
  if (table == nullptr || table->sh_link >= sections.size()) return Fail(path + ": no symbols");
  const uint64_t count = std::min(table->sh_size / sizeof(Elf64_Sym), kMaxSymbols);
  std::vector<Function> functions;
  std::vector<Elf64_Sym> symbols(kSymbolsPerRead);
  for (uint64_t first = 0; first < count; first += kSymbolsPerRead) {
    const size_t size = std::min<uint64_t>(kSymbolsPerRead, count - first);
    if (!ReadAt(file, symbols.data(), size * sizeof(Elf64_Sym), table->sh_offset + first * sizeof(Elf64_Sym))) break;
    for (size_t i = 0; i < size; ++i) {
      const Elf64_Sym& symbol = symbols[i];
      const int type = ELF64_ST_TYPE(symbol.st_info);
      if (type != STT_FUNC && type != STT_GNU_IFUNC) continue;
      if (symbol.st_shndx == SHN_UNDEF || symbol.st_value == 0) continue;
      functions.push_back(
          {symbol.st_value, static_cast<uint32_t>(std::min<uint64_t>(symbol.st_size, UINT32_MAX)), symbol.st_name});
    }
  }
  std::sort(functions.begin(), functions.end(), [](const Function& a, const Function& b) {
    return std::tie(a.address, a.name) < std::tie(b.address, b.name);
  });
  const Elf64_Shdr& names = sections[table->sh_link];
  functions.shrink_to_fit();
  return FunctionSymbols(std::move(file), names.sh_offset, names.sh_size, std::move(functions));
}

std::string FunctionSymbols::SymbolAt(uint64_t address) const {
  const auto after = std::upper_bound(functions_.begin(), functions_.end(), address,
                                      [](uint64_t at, const Function& function) { return at < function.address; });
  if (after == functions_.begin()) return {};
  // Always returns the first of several names for one address.
  const auto found = std::lower_bound(functions_.begin(), after, std::prev(after)->address,
                                      [](const Function& function, uint64_t at) { return function.address < at; });
  const bool is_inside = std::any_of(found, after, [&](const Function& function) {
    return function.size == 0 ? after != functions_.end() : address - function.address < function.size;
  });
  if (!is_inside || found->name >= names_bytes_) return {};
  std::string name(std::min<uint64_t>(kLongestName, names_bytes_ - found->name), '\0');
  const ssize_t got = pread(file_.Get(), name.data(), name.size(), static_cast<off_t>(names_ + found->name));
  name.resize(got < 0 ? 0 : static_cast<size_t>(got));
  name.resize(std::min(name.find('\0'), name.size()));
  return name;
}

}  // namespace sparkprof
