// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>

#include "base/text/text.h"
#include "inputs/content_kind.h"

namespace sparkprof {
namespace {

using std::string_view_literals::operator""sv;

// Magic numbers are from each format's specification.
struct Magic {
  std::string_view bytes, name;
  size_t offset = 0;
};

constexpr Magic kMagics[] = {
    {"\xfd\x37zXZ"sv, "xz-compressed: decompress it first"},
    {"BZh"sv, "bzip2-compressed: decompress it first"},
    {"\x04\x22\x4d\x18"sv, "an LZ4 frame (Spark writes LZ4 blocks): decompress it with lz4 first"},
    {"PK\x03\x04"sv, "a zip archive: unpack it first"},
    {"PK\x05\x06"sv, "an empty zip archive"},
    {"7z\xbc\xaf\x27\x1c"sv, "a 7z archive: unpack it first"},
    {"ustar"sv, "a tar archive: unpack it first", 257},
    {"PAR1"sv, "a Parquet file"},
    {"Obj\x01"sv, "an Avro file"},
    {"SQLite format 3\0"sv, "an SQLite database"},
    {"\x7f\x45LF"sv, "a program"},
    {"\xca\xfe\xba\xbe"sv, "a Java class"},
    {"MZ\x90\0"sv, "a Windows program"},
    {"JAVA PROFILE 1.0"sv, "a Java heap dump"},
    {"\x89PNG"sv, "a PNG image"},
    {"\xff\xd8\xff"sv, "a JPEG image"},
    {"GIF87a"sv, "a GIF image"},
    {"GIF89a"sv, "a GIF image"},
    {"WEBP"sv, "a WebP image", 8},
    {"%PDF-"sv, "a PDF document"},
    {"\xff\xfe\0\0"sv, "UTF-32 text: convert it to UTF-8 with iconv first"},
    {"\0\0\xfe\xff"sv, "UTF-32 text: convert it to UTF-8 with iconv first"},
};

// Beginnings of lines, in lower case, that a kind of text has.
struct TextSign {
  std::string_view begin, name;
};

constexpr TextSign kTextSigns[] = {
    {"#!/bin/", "a shell script"},
    {"#!/usr/bin/env bash", "a shell script"},
    {"#!/usr/bin/env python", "Python code"},
    {"spark-submit", "a command line of spark-submit"},
    {"diff --git", "a difference of files"},
    {"from pyspark", "Python code"},
    {"import pyspark", "Python code"},
    {"def ", "Python code"},
    {"import org.", "Scala or Java code"},
    {"package ", "Scala or Java code"},
    {"object ", "Scala code"},
    {"select ", "SQL"},
    {"insert into ", "SQL"},
    {"create table ", "SQL"},
    {"spark.", "settings of Spark"},
    {"apiversion:", "a manifest of Kubernetes"},
    {"+--", "a table of rows (show)"},
    {"| ", "a table in Markdown"},
};

}  // namespace

std::string_view NameOfOtherFormat(std::string_view head) {
  for (const Magic& magic : kMagics) {
    if (head.size() >= magic.offset && head.substr(magic.offset).starts_with(magic.bytes)) return magic.name;
  }
  return {};
}

std::string_view NameOfDocument(std::string_view head) {
  head.remove_prefix(std::min(head.find_first_not_of(" \t\r\n"), head.size()));
  // The Scala shell prints "<console>:24: error: …".
  if (head.starts_with('<') && !head.starts_with("<console>:")) return "an XML or HTML document";
  const bool begins_array = head.size() > 1 && head[0] == '[' && "{[\"\r\n"sv.find(head[1]) != std::string_view::npos;
  return head.starts_with('{') || begins_array ? "an unknown JSON document" : "";
}

std::string_view DescribeText(std::string_view head) {
  constexpr size_t kMaxLines = 200;
  size_t lines = 0, with_commas = 0;
  std::ptrdiff_t commas = -1;  // commas in the first line
  while (!head.empty() && lines < kMaxLines) {
    const std::string_view line = Trim(TakeLine(&head));
    if (line.empty()) continue;
    const std::string begin = ToLowerAscii(line.substr(0, 32));
    for (const TextSign& sign : kTextSigns) {
      if (begin.starts_with(sign.begin)) return sign.name;
    }
    const std::ptrdiff_t count = std::count(line.begin(), line.end(), ',');
    if (commas < 0) commas = count;
    with_commas += count == commas && count > 0 ? 1 : 0;
    ++lines;
  }
  return lines >= 2 && with_commas == lines ? "a table of comma-separated values" : "plain text";
}

bool IsBinary(std::string_view head) {
  constexpr size_t kLook = 4096;
  head = head.substr(0, kLook);
  size_t control = 0;
  for (const char c : head) {
    if (c == '\0') return true;
    if (static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != '\x1b')
      ++control;
  }
  // Text in an old encoding is not UTF-8 either, but has no control characters.
  return control * 10 > head.size() ||
         (control > 0 && !IsUtf8(CutUtf8(head, head.size() - std::min<size_t>(head.size(), 3))));
}

std::string_view DescribeUnread(std::string_view head) {
  if (const std::string_view name = NameOfOtherFormat(head); !name.empty()) return name;
  if (IsBinary(head)) return "an unknown binary format";
  const std::string_view document = NameOfDocument(head);
  return document.empty() ? "text without stacks" : document;
}

}  // namespace sparkprof
