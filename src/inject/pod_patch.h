// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/text/json_writer.h"

namespace sparkprof {

// Writes a JSON Patch (RFC 6902). Values are complete JSON values; paths are JSON Pointers, with ~1 for a slash.
class PodPatch {
 public:
  // A list in the document. If it does not exist, the first item creates it.
  struct List {
    std::string path;
    bool exists = false;
  };

  PodPatch() { json_.BeginArray(); }

  void Append(List* list, std::string_view item) { Add(list, "/-", item); }
  void Prepend(List* list, std::string_view item) { Add(list, "/0", item); }
  // Creates or replaces a member of an object.
  void Set(std::string_view path, std::string_view value) {
    json_.BeginObject().Member("op", "add").Member("path", path).Key("value").Raw(value).EndObject();
  }
  std::string Take() { return json_.EndArray().Take(); }

 private:
  void Add(List* list, std::string_view place, std::string_view item) {
    if (list->exists) {
      Set(list->path + std::string(place), item);
    } else {
      Set(list->path, "[" + std::string(item) + "]");
    }
    list->exists = true;
  }

  JsonWriter json_;
};

}  // namespace sparkprof
