// SPDX-License-Identifier: Apache-2.0
// Jupyter's notebooks, nbformat 4: {"cells": [{"cell_type": "code", "outputs": [
//   {"output_type": "stream", "name": "stderr", "text": ["26/11/28 07:00:01 WARN …\n"]},
//   {"output_type": "error", "ename": "ValueError", "evalue": "x", "traceback": ["\u001b[31m…"]},
//   {"output_type": "execute_result", "data": {"text/plain": ["…"]}}]}]}
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "base/text/json_parser.h"
#include "inputs/archive.h"
#include "inputs/content_kind.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxNotebookBytes = size_t{64} << 20;

// Appends text without the colors of a terminal: ESC [ … letter.
void AppendPlain(std::string_view text, std::string* plain) {
  while (!text.empty()) {
    const size_t escape = text.find("\x1b[");
    plain->append(text.substr(0, escape));
    if (escape == std::string_view::npos) return;
    const size_t end = text.find_first_not_of("0123456789;", escape + 2);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

// A text or a list of its pieces; `separator` is between them.
void AppendText(const simdjson::dom::object& object, std::string_view key, std::string_view separator,
                std::string* text) {
  simdjson::dom::array pieces;
  if (!ArrayAt(object, key, &pieces)) return AppendPlain(TextAt(object, key), text);
  for (const simdjson::dom::element piece : pieces) {
    AppendPlain(sparkprof::TextOf(piece), text);
    text->append(separator);
  }
}

void AppendOutput(const simdjson::dom::object& output, std::string* text) {
  if (!text->empty() && !text->ends_with('\n')) text->push_back('\n');
  simdjson::dom::object data;
  if (TextAt(output, "output_type") == "error") {
    // A traceback of IPython has this line in another form.
    text->append("Traceback (most recent call last):\n");
    AppendText(output, "traceback", "\n", text);
    text->append(fmt::format("{}: {}", TextAt(output, "ename"), TextAt(output, "evalue")));
  } else if (ObjectAt(output, "data", &data)) {
    AppendText(data, "text/plain", "", text);
  } else {
    AppendText(output, "text", "", text);
  }
  if (!text->ends_with('\n')) text->push_back('\n');
}

void AddEntry(std::string name, std::string text, Archive* archive) {
  ArchiveEntry entry{.name = std::move(name), .host = {}, .size = static_cast<int64_t>(text.size()), .open = {}};
  const auto shared = std::make_shared<const std::string>(std::move(text));
  entry.open = [shared]() -> Result<std::unique_ptr<ByteSource>> { return ViewSource(*shared, shared); };
  archive->entries.push_back(std::move(entry));
}

bool IsFragment(std::string_view text) {
  const ContentKind content = DetectContent(text.substr(0, kContentHeadBytes), /*log_name=*/false);
  return content.kind == InputKind::kFragment || content.kind == InputKind::kProfile;
}

}  // namespace

bool IsNotebook(std::string_view head) {
  head.remove_prefix(std::min(head.find_first_not_of(" \t\r\n"), head.size()));
  return head.starts_with('{') && head.find("\"cells\"") != std::string_view::npos &&
         head.find("\"cell_type\"") != std::string_view::npos;
}

Result<Archive> ListNotebook(const OpenBytes& open) {
  Result<std::unique_ptr<ByteSource>> source = open();
  if (!source) return tl::unexpected(source.error());
  const Result<std::string> document = ReadAll(source->get(), kMaxNotebookBytes, "the notebook");
  if (!document) return tl::unexpected(document.error());
  JsonParser parser;
  simdjson::dom::object notebook;
  simdjson::dom::array cells, outputs;
  if (parser.Parse(*document).get_object().get(notebook) != simdjson::SUCCESS || !ArrayAt(notebook, "cells", &cells))
    return Fail("a notebook that is not valid JSON: it may be truncated; save it again in Jupyter");
  Archive archive;
  std::string log;  // outputs of all cells
  int64_t number = 0;
  for (const simdjson::dom::element element : cells) {
    ++number;
    simdjson::dom::object cell, output;
    if (element.get_object().get(cell) != simdjson::SUCCESS || !ArrayAt(cell, "outputs", &outputs)) continue;
    std::string text;
    for (const simdjson::dom::element one : outputs) {
      if (one.get_object().get(output) == simdjson::SUCCESS) AppendOutput(output, &text);
    }
    if (IsFragment(text)) {
      AddEntry(fmt::format("cell-{}", number), std::move(text), &archive);
    } else {
      log += text;
    }
  }
  const ContentKind content = DetectContent(std::string_view(log).substr(0, kContentHeadBytes), /*log_name=*/false);
  if (content.kind != InputKind::kUnknown) AddEntry("outputs", std::move(log), &archive);
  if (archive.entries.empty())
    return Fail("a Jupyter notebook whose outputs have no log, error, plan or dump; save it after its cells ran");
  return archive;
}

}  // namespace sparkprof
