// SPDX-License-Identifier: Apache-2.0
#include "capture/python/python_process.h"

#include <elf.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <vector>

#include "base/io/file.h"
#include "base/text/text.h"
#include "capture/proc.h"
#include "cpython/python_memory.h"

namespace sparkprof {
namespace {

template <typename T>
bool ReadAt(std::string_view bytes, uint64_t offset, T* value) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof *value) return false;
  std::memcpy(value, bytes.data() + offset, sizeof *value);
  return true;
}

std::string_view TextAt(std::string_view bytes, uint64_t offset) {
  if (offset >= bytes.size()) return {};
  const std::string_view rest = bytes.substr(offset, 256);
  return rest.substr(0, std::min(rest.find('\0'), rest.size()));
}

std::string_view Part(std::string_view bytes, uint64_t offset, uint64_t size) {
  return offset > bytes.size() || size > bytes.size() - offset ? std::string_view() : bytes.substr(offset, size);
}

void ReadSymbols(std::string_view table, std::string_view names, ElfSymbols* symbols) {
  Elf64_Sym symbol;
  // A library has tens of thousands of symbols, so names are compared in place.
  const auto is = [&](std::string_view name) {
    return symbol.st_name < names.size() && names.substr(symbol.st_name).starts_with(name) &&
           names.substr(symbol.st_name + name.size()).starts_with('\0');
  };
  for (uint64_t at = 0; ReadAt(table, at, &symbol); at += sizeof symbol) {
    if (symbol.st_value == 0) continue;
    if (is("_PyRuntime")) symbols->runtime = symbol.st_value;
    if (is("PyCode_Type")) symbols->code_type = symbol.st_value;
    if (is("Py_Version")) symbols->version = symbol.st_value;
  }
}

struct Mapping {
  uint64_t begin = 0;
  uint64_t offset = 0;
  std::string path;
};

std::vector<Mapping> FileMappings(std::string_view maps) {
  std::vector<Mapping> mappings;
  for (const std::string_view line : Split(maps, '\n')) {
    const size_t path = line.find('/');
    if (path == std::string_view::npos) continue;
    Mapping mapping;
    std::from_chars(line.data(), line.data() + line.size(), mapping.begin, 16);
    const std::vector<std::string_view> fields = Split(line.substr(0, path), ' ');
    if (fields.size() < 3) continue;
    std::from_chars(fields[2].data(), fields[2].data() + fields[2].size(), mapping.offset, 16);
    mapping.path = line.substr(path);
    mappings.push_back(std::move(mapping));
  }
  return mappings;
}

std::string_view BaseName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// Parses "…python3.11…" to 0x030b0000; 0 if the name has no version.
uint32_t VersionInName(std::string_view name) {
  constexpr std::string_view kPython = "python3.";
  const size_t at = name.find(kPython);
  if (at == std::string_view::npos) return 0;
  int minor = 0;
  std::from_chars(name.data() + at + kPython.size(), name.data() + name.size(), minor);
  return minor <= 0 || minor > 255 ? 0 : 3u << 24 | static_cast<uint32_t>(minor) << 16;
}

bool ReadOf(int64_t pid, uint64_t address, void* bytes, size_t size) {
  return ReadProcessMemory(static_cast<pid_t>(pid), address, bytes, size);
}

uint32_t VersionOf(const std::vector<Mapping>& mappings, const std::string& binary, int64_t pid,
                   uint64_t version_address) {
  if (uint64_t version = 0; version_address != 0 && ReadOf(pid, version_address, &version, sizeof version)) {
    if (version >> 24 == 3) return static_cast<uint32_t>(version);
  }
  if (const uint32_t version = VersionInName(BaseName(binary)); version != 0) return version;
  // The interpreter's own libraries are in …/lib/python3.11/….
  for (const Mapping& mapping : mappings) {
    if (const uint32_t version = VersionInName(mapping.path); version != 0) return version;
  }
  return 0;
}

std::string Named(int64_t pid) { return "process " + std::to_string(pid); }

Error NotReadable(int64_t pid, int error) {
  if (error == ESRCH || error == ENOENT) return {Named(pid) + " does not exist"};
  if (error == EPERM || error == EACCES) return NotPermitted(pid);
  return {Named(pid) + ": cannot read its memory (" + std::strerror(error) + ")"};
}

// Reads the file as the process sees it, possibly in a container.
Result<ElfSymbols> SymbolsOf(int64_t pid, const Mapping& mapping) {
  const Result<MappedFile> file = MappedFile::Open("/proc/" + std::to_string(pid) + "/root" + mapping.path);
  if (!file) return tl::unexpected(file.error());
  return ReadElfSymbols(file->Bytes(), mapping.path);
}

Result<void> CheckThreads(const PythonProcess& python) {
  uint64_t interpreter = 0, thread = 0, owner = 0;
  const bool good = ReadOf(python.pid, python.runtime + python.layout.interpreters_head, &interpreter, 8) &&
                    ReadOf(python.pid, interpreter + python.layout.threads_head, &thread, 8) &&
                    ReadOf(python.pid, thread + python.layout.thread_interpreter, &owner, 8) && owner == interpreter;
  if (good) return {};
  return Fail(Named(python.pid) + ": Python " + python.version +
              " has no threads at the expected address; it may be a debug build, or be starting or exiting");
}

}  // namespace

Result<ElfSymbols> ReadElfSymbols(std::string_view bytes, const std::string& name) {
  Elf64_Ehdr header;
  if (!ReadAt(bytes, 0, &header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64) {
    return Fail(name + ": expected a 64-bit ELF file");
  }
  ElfSymbols symbols;
  symbols.load_address = UINT64_MAX;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (!ReadAt(bytes, header.e_phoff + uint64_t{i} * sizeof segment, &segment)) break;
    if (segment.p_type == PT_LOAD) {
      symbols.load_address = std::min<uint64_t>(symbols.load_address, segment.p_vaddr & ~uint64_t{4095});
    }
  }
  if (symbols.load_address == UINT64_MAX) return Fail(name + ": expected an ELF file with loadable segments");
  std::vector<Elf64_Shdr> sections;
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    if (!ReadAt(bytes, header.e_shoff + uint64_t{i} * sizeof section, &section)) break;
    sections.push_back(section);
  }
  for (const Elf64_Shdr& section : sections) {
    if ((section.sh_type != SHT_DYNSYM && section.sh_type != SHT_SYMTAB) || section.sh_link >= sections.size())
      continue;
    const Elf64_Shdr& names = sections[section.sh_link];
    ReadSymbols(Part(bytes, section.sh_offset, section.sh_size), Part(bytes, names.sh_offset, names.sh_size), &symbols);
    // Exported symbols are in the first and smaller table.
    if (symbols.runtime != 0 && symbols.code_type != 0) break;
  }
  if (symbols.runtime == 0 && header.e_shstrndx < sections.size()) {
    const Elf64_Shdr& names = sections[header.e_shstrndx];
    const std::string_view text = Part(bytes, names.sh_offset, names.sh_size);
    for (const Elf64_Shdr& section : sections) {
      if (TextAt(text, section.sh_name) == ".PyRuntime") symbols.runtime = section.sh_addr;
    }
  }
  return symbols;
}

Result<PythonProcess> FindPython(int64_t pid) {
  const Result<std::string> maps = ReadFile("/proc/" + std::to_string(pid) + "/maps");
  if (!maps)
    return tl::unexpected(
        NotReadable(pid, access(("/proc/" + std::to_string(pid)).c_str(), F_OK) == 0 ? EPERM : ESRCH));
  const std::vector<Mapping> mappings = FileMappings(*maps);
  std::string program(4096, '\0');
  const ssize_t length = readlink(("/proc/" + std::to_string(pid) + "/exe").c_str(), program.data(), program.size());
  if (length < 0 && (errno == EACCES || errno == EPERM)) return tl::unexpected(NotReadable(pid, errno));
  program.resize(length > 0 ? static_cast<size_t>(length) : 0);

  for (const Mapping& mapping : mappings) {
    if (mapping.offset != 0) continue;
    if (mapping.path != program && !BaseName(mapping.path).starts_with("libpython3")) continue;
    const Result<ElfSymbols> symbols = SymbolsOf(pid, mapping);
    if (!symbols || symbols->runtime == 0) continue;
    const uint64_t shift = mapping.begin - symbols->load_address;
    PythonProcess python;
    python.pid = pid;
    python.binary = mapping.path;
    python.runtime = symbols->runtime + shift;
    python.code_type = symbols->code_type == 0 ? 0 : symbols->code_type + shift;
    std::array<char, kDebugOffsetsSize> head;
    errno = 0;
    if (!ReadOf(pid, python.runtime, head.data(), head.size())) return tl::unexpected(NotReadable(pid, errno));
    const uint32_t version =
        VersionOf(mappings, mapping.path, pid, symbols->version == 0 ? 0 : symbols->version + shift);
    python.version = std::to_string(version >> 24) + "." + std::to_string(version >> 16 & 0xFF);
    Result<CPythonLayout> layout = LayoutFor(version, {head.data(), head.size()});
    if (!layout) return Fail(Named(pid) + ": " + layout.error().message);
    python.layout = *layout;
    if (auto checked = CheckThreads(python); !checked) return tl::unexpected(checked.error());
    return python;
  }
  return Fail(Named(pid) + ": not a CPython 3.9 or later; neither " + (program.empty() ? "its program" : program) +
              " nor a libpython has the symbol _PyRuntime");
}

}  // namespace sparkprof
