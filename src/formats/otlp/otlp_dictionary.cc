// SPDX-License-Identifier: Apache-2.0
#include "formats/otlp/otlp_dictionary.h"

#include <utility>

#include "formats/otlp/otlp_fields.h"

namespace sparkprof {
namespace {

// The row of the file name.
uint64_t ReadMapping(const MessageReader& message) {
  uint64_t file = 0;
  ForEachField(message, [&](MessageReader& field) {
    if (field.tag() == 4) {
      file = field.get_uint64();
    } else {
      field.skip();
    }
  });
  return file;
}

OtlpLine ReadLine(const MessageReader& message) {
  OtlpLine line;
  ForEachField(message, [&](MessageReader& field) {
    if (field.tag() == 1) {
      line.function = field.get_uint64();
    } else if (field.tag() == 2) {
      line.line = field.get_int64();
    } else {
      field.skip();
    }
  });
  return line;
}

OtlpLocation ReadLocation(const MessageReader& message) {
  OtlpLocation location;
  ForEachField(message, [&](MessageReader& field) {
    switch (field.tag()) {
      case 1:
        location.mapping = field.get_uint64();
        break;
      case 2:
        location.address = field.get_uint64();
        break;
      case 3:
        location.lines.push_back(ReadLine(field.get_message()));
        break;
      case 4:
        ReadNumbers(&field, [&](uint64_t row) { location.attributes.push_back(row); });
        break;
      default:
        field.skip();
    }
  });
  return location;
}

OtlpFunction ReadFunction(const MessageReader& message) {
  OtlpFunction function;
  ForEachField(message, [&](MessageReader& field) {
    if (field.tag() == 1) {
      function.name = field.get_uint64();
    } else if (field.tag() == 3) {
      function.file = field.get_uint64();
    } else {
      field.skip();
    }
  });
  return function;
}

std::string_view ReadText(MessageReader* field) {
  const protozero::data_view text = field->get_view();
  return {text.data(), text.size()};
}

OtlpAttribute ReadAttribute(const MessageReader& message) {
  OtlpAttribute attribute;
  ForEachField(message, [&](MessageReader& field) {
    if (field.tag() == 1) {
      attribute.key = field.get_uint64();
    } else if (field.tag() == 2) {
      ForEachField(field.get_message(), [&](MessageReader& value) {
        if (value.tag() == 1) {
          attribute.text = ReadText(&value);
        } else if (value.tag() == 3) {
          attribute.number = value.get_int64();
        } else if (value.tag() == 8) {
          attribute.text_row = value.get_uint64();
        } else {
          value.skip();
        }
      });
    } else {
      field.skip();
    }
  });
  return attribute;
}

std::vector<uint64_t> ReadStack(const MessageReader& message) {
  std::vector<uint64_t> locations;
  ForEachField(message, [&](MessageReader& field) {
    if (field.tag() == 1) {
      ReadNumbers(&field, [&](uint64_t row) { locations.push_back(row); });
    } else {
      field.skip();
    }
  });
  return locations;
}

}  // namespace

void OtlpDictionary::Read(const MessageReader& message) {
  ForEachField(message, [&](MessageReader& field) {
    switch (field.tag()) {
      case 1:
        mappings.push_back(ReadMapping(field.get_message()));
        break;
      case 2:
        locations.push_back(ReadLocation(field.get_message()));
        break;
      case 3:
        functions.push_back(ReadFunction(field.get_message()));
        break;
      case 5:
        strings.push_back(ReadText(&field));
        break;
      case 6:
        attributes.push_back(ReadAttribute(field.get_message()));
        break;
      case 7:
        stacks.push_back(ReadStack(field.get_message()));
        break;
      default:
        field.skip();
    }
  });
}

}  // namespace sparkprof
