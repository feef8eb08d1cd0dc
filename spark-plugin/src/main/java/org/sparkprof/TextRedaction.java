// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import static org.sparkprof.Characters.hasAt;
import static org.sparkprof.Characters.hex;
import static org.sparkprof.Characters.isAlnum;
import static org.sparkprof.Characters.isBlank;
import static org.sparkprof.Characters.isDigit;
import static org.sparkprof.Characters.isLetter;
import static org.sparkprof.Characters.isLower;
import static org.sparkprof.Characters.isOneOf;
import static org.sparkprof.Characters.isQuote;
import static org.sparkprof.Characters.isSpace;
import static org.sparkprof.Characters.isUpper;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.sparkprof.RedactionRules.Kind;
import org.sparkprof.RedactionRules.Secrecy;
import org.sparkprof.RedactionRules.Trigger;
import org.sparkprof.ValueSpan.Unit;

/**
 * Takes secrets out of text: assignments to secret names in any quoting, and values that are secrets by their shape.
 * redaction/README.md specifies the rule; src/base/redaction/redaction.cc is the same in C++. Redacting twice is the
 * same as once. Linear in the size of the text.
 */
final class TextRedaction {
  static final String REPLACEMENT = "*********(redacted)";

  private static final int MAX_ENCODINGS = 4;
  private static final int MAX_NAME = 200;
  private static final int MAX_TAG = 64;
  private static final int MAX_USER_INFO = 128;
  private static final int MAX_COMMAND = 512;
  private static final int MAX_AUTHORITY = 1024;
  private static final String[] VERBS = {"is ", "was ", "are ", "to "};

  /** How a value is connected to its name. */
  private enum Link {
    /** NAME=VALUE and the like. */
    ASSIGNED,
    /** NAME: VALUE. */
    PROSE,
    /** NAME VALUE, NAME is VALUE: quoted, or if it looks like a key or a password. */
    APART
  }

  private static final class Found {
    final int value;
    final Link link;
    final ValueSpan.Kind kind;
    /** The value ends with the next tag. */
    final boolean toTag;

    Found(int value, Link link, ValueSpan.Kind kind, boolean toTag) {
      this.value = value;
      this.link = link;
      this.kind = kind;
      this.toTag = toTag;
    }
  }

  private final RedactionRules rules = RedactionRules.get();
  private final String text;
  /** Begin and end of each secret, ascending. */
  private final List<int[]> secrets = new ArrayList<>(0);
  /** Everything before it is decided. */
  private int from;
  /** Ascending. */
  private final List<ValueSpan> commandValues = new ArrayList<>(0);

  private TextRedaction(String text) {
    this.text = text;
  }

  /** The text without its secrets; the same object when it has none. */
  static String redact(String text) {
    List<int[]> secrets = secretsOf(text);
    if (secrets.isEmpty()) {
      return text;
    }
    StringBuilder redacted = new StringBuilder(text.length());
    int copied = 0;
    for (int[] secret : secrets) {
      if (secret[0] > copied || copied == 0) {
        redacted.append(text, copied, secret[0]).append(REPLACEMENT);
      }
      copied = Math.max(copied, secret[1]);
    }
    return redacted.append(text, copied, text.length()).toString();
  }

  /** A text without its encoding in URLs, HTML and CSV, and where its characters lie in the encoded text. */
  private static final class Decoded {
    final String text;
    /** One more than the text has characters. */
    final int[] origin;

    Decoded(String text, int[] origin) {
      this.text = text;
      this.origin = origin;
    }

    /** The number of doubled quotes at `at`, unless they are an empty string; 1 if it is not a run of quotes. */
    private static int doubledQuotes(String text, int at) {
      int end = at;
      while (end < text.length() && text.charAt(end) == '"') {
        end++;
      }
      if (end < at + 2) {
        return 1;
      }
      boolean opens = at == 0 || isSpace(text.charAt(at - 1)) || isOneOf(text.charAt(at - 1), ",;:=([{");
      boolean closes = end == text.length() || isSpace(text.charAt(end)) || isOneOf(text.charAt(end), ",;)]}");
      return opens && closes ? 1 : end - at;
    }

    /** Null when the text has no encoded character. */
    static Decoded of(String text) {
      if (text.indexOf('%') < 0 && text.indexOf('&') < 0 && !text.contains("\"\"")) {
        return null;
      }
      StringBuilder decoded = new StringBuilder(text.length());
      int[] origin = new int[text.length() + 1];
      for (int at = 0; at < text.length();) {
        int quotes = text.charAt(at) == '"' ? doubledQuotes(text, at) : 1;
        if (quotes > 1) {
          for (int i = 0; i < quotes; i += 2) {
            origin[decoded.length()] = at + i;
            decoded.append('"');
          }
          at += quotes;
          continue;
        }
        Unit unit = ValueSpan.decode(text, at);
        origin[decoded.length()] = at;
        decoded.append(unit.character);
        at += unit.size;
      }
      origin[decoded.length()] = text.length();
      return decoded.length() == text.length() ? null : new Decoded(decoded.toString(), origin);
    }
  }

  /** Secrets of the text and of its decoded forms, ascending. */
  private static List<int[]> secretsOf(String text) {
    List<int[]> secrets = new TextRedaction(text).run();
    Decoded decoded = Decoded.of(text);
    for (int depth = 0; decoded != null && depth < MAX_ENCODINGS; depth++) {
      for (int[] secret : new TextRedaction(decoded.text).run()) {
        secrets.add(new int[] {decoded.origin[secret[0]], decoded.origin[secret[1]]});
      }
      Decoded further = Decoded.of(decoded.text);
      for (int i = 0; further != null && i <= further.text.length(); i++) {
        further.origin[i] = decoded.origin[further.origin[i]];
      }
      decoded = further;
    }
    secrets.sort(Comparator.comparingInt(secret -> secret[0]));
    return secrets;
  }

  /** `value` of the setting `name`: redacted entirely if the name is that of a secret, otherwise its text. */
  static String redactSetting(String name, String value) {
    if (value.isEmpty()) {
      return value;
    }
    // The class path is a setting for each jar.
    if (SecretName.sparkRedacts(name) && !name.endsWith(".jar")
        || !SecretValue.isHarmless(value, SecretName.secrecyOf(name, ""))) {
      return REPLACEMENT;
    }
    return redact(value);
  }

  /** False for most texts, which can be skipped. */
  static boolean mayHaveSecrets(String text) {
    return firstTrigger(text) >= 0 || text.indexOf('%') >= 0 || text.indexOf('&') >= 0;
  }

  /** The possible start of the first literal of the rules, or an at sign; -1 in most texts. */
  private static int firstTrigger(String text) {
    RedactionRules rules = RedactionRules.get();
    int length = text.length();
    if (length < 3) {
      return -1;
    }
    int hash = RedactionRules.hash(RedactionRules.hash(0, text.charAt(0)), text.charAt(1));
    for (int i = 2; i < length; i++) {
      char c = text.charAt(i);
      hash = RedactionRules.hash(hash, c);
      if (c == '@') {
        return Math.max(0, i - 2);
      }
      if (rules.mayBegin(hash) && isThere(text, i - 2, rules.triggers(hash))) {
        return i - 2;
      }
    }
    return -1;
  }

  private static boolean isThere(String text, int at, List<Trigger> triggers) {
    for (Trigger trigger : triggers) {
      if (isThere(text, at, trigger)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isThere(String text, int at, Trigger trigger) {
    return trigger.kind == Kind.TOKEN ? text.startsWith(trigger.literal, at) : hasAt(text, at, trigger.literal);
  }

  /** Where the secrets are, ascending. */
  private List<int[]> run() {
    int at = firstTrigger(text);
    if (at < 0) {
      return secrets;
    }
    while (at + 2 < text.length()) {
      int hash = RedactionRules.hash(RedactionRules.hash(RedactionRules.hash(0, text.charAt(at)),
          text.charAt(at + 1)), text.charAt(at + 2));
      boolean isUserInfo = text.charAt(at) == '@';
      if (!isUserInfo && !rules.mayBegin(hash)) {
        at++;
        continue;
      }
      if (!commandValues.isEmpty()) {
        takeCommandValues(at);
      }
      if (from <= at) {
        at = isUserInfo ? userInfo(at) : stop(at, rules.triggers(hash));
      }
      at = Math.max(at, from);
    }
    takeCommandValues(text.length());
    return secrets;
  }

  private char at(int at) {
    return Characters.at(text, at);
  }

  /** The character before `at`; redacted text looks like its replacement. */
  private char before(int at) {
    if (at == 0) {
      return '\0';
    }
    return at == from && !secrets.isEmpty() ? ')' : text.charAt(at - 1);
  }

  private int redact(int begin, int end) {
    secrets.add(new int[] {begin, end});
    from = end;
    return end;
  }

  /** Tries every literal that may start at `at`. Returns the next position. */
  private int stop(int at, List<Trigger> triggers) {
    int next = at + 1;
    boolean isName = false;
    for (Trigger trigger : triggers) {
      if (!isThere(text, at, trigger)) {
        continue;
      }
      if (trigger.kind == Kind.NAME) {
        isName = true;
        continue;
      }
      next = Math.max(next, stopAt(at, trigger));
      if (from > at) {
        return next;
      }
    }
    return isName ? Math.max(next, name(at)) : next;
  }

  private int stopAt(int at, Trigger trigger) {
    int behind = at + trigger.literal.length();
    switch (trigger.kind) {
      case TOKEN:
        return token(at, trigger);
      case URL:
        return url(at, behind);
      case ORACLE:
        return oracle(behind);
      case PRIVATE_KEY:
        return privateKey(at);
      case SCHEME:
        return trigger.literal.equals("eyj") ? webToken(at) : scheme(at, behind, trigger.literal.equals("bearer"));
      case WEBHOOK:
        return webhook(behind);
      case COMMAND:
        return command(at, trigger.literal);
      case IDENTIFIED_BY:
        return identifiedBy(behind);
      default:
        return at + 1;
    }
  }

  private boolean isRedactedAt(int at) {
    return text.startsWith(REPLACEMENT, at);
  }

  private int skipRedacted(int at) {
    from = Math.max(from, at + REPLACEMENT.length());
    return from;
  }

  private static boolean isNameCharacter(char c) {
    return isAlnum(c) || isOneOf(c, "_.-$");
  }

  /** The name around `at`, and what is assigned to it. */
  private int name(int at) {
    int begin = at;
    while (begin > from && at - begin < MAX_NAME && isNameCharacter(text.charAt(begin - 1))) {
      begin--;
    }
    int end = at;
    while (end < text.length() && end - at < MAX_NAME && isNameCharacter(text.charAt(end))) {
      end++;
    }
    final int next = end;
    // \npassword and %0Apassword: the escape is not part of the name.
    final int escape = begin;
    if (begin > from && text.charAt(begin - 1) == '\\' && isOneOf(text.charAt(begin), "nrt") && begin < at) {
      begin++;
    }
    if (begin > from && text.charAt(begin - 1) == '%' && begin + 2 <= at && hex(text.charAt(begin)) >= 0
        && hex(text.charAt(begin + 1)) >= 0) {
      begin += 2;
    }
    boolean isOption = text.charAt(begin) == '-' && (begin > escape || !isAlnum(before(begin)));
    while (begin < end && isOneOf(text.charAt(begin), "-.$")) {
      begin++;
    }
    if (isOption && at(begin) == 'D' && begin < at && text.charAt(begin - 1) == '-'
        && (begin < 2 || text.charAt(begin - 2) != '-')) {
      begin++;
      isOption = false;
    }
    while (end > begin && isOneOf(text.charAt(end - 1), ".-$")) {
      end--;
    }
    if (end <= begin) {
      return next;
    }
    String name = text.substring(begin, end);
    Secrecy secrecy = SecretName.secrecyOf(name, wordBefore(begin));
    if (secrecy == Secrecy.NONE || begin >= 5 && text.startsWith("/etc/", begin - 5)) {
      return next;
    }
    boolean isParameter = before(begin) == '?' || before(begin) == '&';
    if (isParameter && secrecy == Secrecy.MAYBE) {
      secrecy = Secrecy.STRONG;
    }
    Found found = findValue(begin, end, isOption, isParameter, secrecy);
    if (found == null) {
      return next;
    }
    if (found.toTag) {
      return redactToTag(found.value, secrecy, next);
    }
    return redactValue(found, quoteBefore(begin), name, secrecy, next);
  }

  /** "spark.x.password=…" or "--password=…": the quote right before the name, or -1. */
  private int quoteBefore(int begin) {
    while (begin > from && text.charAt(begin - 1) == '-') {
      begin--;
    }
    if (begin == from || !isQuote(text.charAt(begin - 1))) {
      return -1;
    }
    int quote = begin - 1;
    while (quote > from && text.charAt(quote - 1) == '\\') {
      quote--;
    }
    return quote;
  }

  /** In "NAME=VALUE", the value extends to the closing quote, unless another assignment is in between. */
  private ValueSpan extendToQuote(int quote, ValueSpan span) {
    if (quote < 0 || span.behind != span.end || !isBlank(at(span.end))) {
      return span;
    }
    int limit = Math.min(text.length(), span.end + MAX_NAME);
    int inQuotes = ValueSpan.quotesEnd(text.substring(quote, limit), 0, span.end - quote);
    if (inQuotes < 0) {
      return span;
    }
    int end = quote + inQuotes;
    String rest = text.substring(span.end, end);
    boolean isAssignment = rest.indexOf('=') >= 0 || rest.indexOf(':') >= 0 || rest.contains(" -");
    return isAssignment ? span : new ValueSpan(span.begin, end, end);
  }

  private String wordBefore(int at) {
    if (at == 0 || at == from || text.charAt(at - 1) != ' ') {
      return "";
    }
    int end = at - 1;
    int begin = end;
    while (begin > from && end - begin < 32 && isLetter(text.charAt(begin - 1))) {
      begin--;
    }
    return text.substring(begin, end);
  }

  private int skipBlanks(int at) {
    while (at < text.length() && (isBlank(text.charAt(at)) || text.charAt(at) == '\0')) {
      at++;
    }
    return at;
  }

  private Found findValue(int begin, int end, boolean isOption, boolean isParameter, Secrecy secrecy) {
    int at = end;
    if (at(at) == '#' && isDigit(at(at + 1))) { // an attribute of a plan: password#12
      at++;
      while (isDigit(at(at))) {
        at++;
      }
      if (at(at) == 'L') {
        at++;
      }
    }
    ValueSpan.Kind kind = secrecy == Secrecy.HEADER ? ValueSpan.Kind.HEADER
        : isParameter ? ValueSpan.Kind.URL : ValueSpan.Kind.PLAIN;
    int inTag = findInTags(begin, at);
    if (inTag >= 0) {
      return new Found(inTag, Link.ASSIGNED, kind, true);
    }
    Unit quote = ValueSpan.unit(text, at);
    int closed = skipClosing(at, quote);
    int blank = skipBlanks(closed);
    int sibling = findSibling(blank);
    if (sibling >= 0) {
      return new Found(sibling, Link.ASSIGNED, kind, false);
    }
    Found assigned = findAssigned(blank, kind);
    if (assigned != null) {
      return assigned;
    }
    if (at(blank) == ',') {
      int value = skipBlanks(blank + 1);
      boolean isPair = !quote.isQuote() && before(begin) == '(' && value == blank + 1 && at(end) == ',';
      if (isOption || quote.isQuote() && isArgument(begin, value) || isPair) {
        return new Found(value, Link.ASSIGNED, kind, false);
      }
      return null;
    }
    if (blank == closed || blank >= text.length()) {
      return null;
    }
    if (isOption) {
      return new Found(blank, Link.ASSIGNED, kind, false);
    }
    for (String verb : VERBS) {
      if (hasAt(text, blank, verb)) {
        return new Found(blank + verb.length(), Link.APART, kind, false);
      }
    }
    return new Found(blank, Link.APART, kind, false);
  }

  /** Behind the name's closing quote, and bracket: "name", \"name\", ['name']. */
  private int skipClosing(int at, Unit quote) {
    int quoteAt = at;
    for (int count = 0; quote.isQuote() && count < 3 && text.regionMatches(at, text, quoteAt, quote.size); count++) {
      at += quote.size;
    }
    return at(at) == ']' ? at + 1 : at;
  }

  /** = : => := -> == <=> and their encodings, with blanks around; null without. */
  private Found findAssigned(int at, ValueSpan.Kind kind) {
    Unit unit = ValueSpan.unit(text, at);
    int behind;
    boolean isColon = false;
    if (unit.size > 0 && (unit.character == '-' || unit.character == '<')) {
      Unit second = ValueSpan.unit(text, at + 1);
      if (unit.character == '<' && (unit.size > 1 || second.character != '=')
          || unit.character == '-' && second.character != '>') {
        return null;
      }
      behind = at + 1 + second.size;
      if (at(behind) == '>') {
        behind++;
      }
    } else if (unit.character == '=' || unit.character == ':') {
      isColon = unit.character == ':';
      if (isColon && at(at + unit.size) == ':') { // password::string, Token::parse
        return null;
      }
      if (unit.size > 1 && kind == ValueSpan.Kind.PLAIN && text.charAt(at) == '%') {
        kind = ValueSpan.Kind.ENCODED;
      }
      behind = at + unit.size;
      if (at(behind) == '=') {
        behind++;
      }
      Unit arrow = ValueSpan.unit(text, behind);
      if (arrow.character == '>' && unit.character == '=') {
        behind += arrow.size;
      }
    } else {
      return null;
    }
    if (isColon && at(behind) == '/' && at(behind + 1) == '/') {
      return null;
    }
    int value = skipBlanks(behind);
    boolean isProse = isColon && value > behind;
    if (at(value) == '\n' || at(value) == '\r') {
      // On the next line only what is quoted.
      while (value < text.length() && isSpace(text.charAt(value))) {
        value++;
      }
      if (!isQuote(at(value))) {
        return null;
      }
    }
    return value >= text.length() ? null : new Found(value, isProse ? Link.PROSE : Link.ASSIGNED, kind, false);
  }

  /** "name":"password","value":"X" and name="password" value="X"; -1 without. */
  private int findSibling(int at) {
    if (at(at) == ',') {
      at = skipBlanks(at + 1);
    }
    while (at < text.length() && isSpace(text.charAt(at))) {
      at++;
    }
    Unit quote = ValueSpan.unit(text, at);
    if (quote.isQuote()) {
      at += quote.size;
    }
    if (!hasAt(text, at, "value")) {
      return -1;
    }
    at += 5;
    quote = ValueSpan.unit(text, at);
    if (quote.isQuote()) {
      at += quote.size;
    }
    at = skipBlanks(at);
    Unit equals = ValueSpan.unit(text, at);
    return equals.character == '=' || equals.character == ':' ? skipBlanks(at + equals.size) : -1;
  }

  /** ("name", "X"), ["name", "X"], ["--name", "X"]: `begin` is the start of the name, after its quote. */
  private boolean isArgument(int begin, int value) {
    int at = begin;
    while (at > from && (isQuote(text.charAt(at - 1)) || text.charAt(at - 1) == '\\')) {
      at--;
    }
    while (at > from && isBlank(text.charAt(at - 1))) {
      at--;
    }
    if (before(at) != '(' && before(at) != '[') {
      return false;
    }
    if (!ValueSpan.unit(text, value).isQuote()) {
      return !isOneOf(at(value), ")]") && before(at) == '(';
    }
    int behind = skipBlanks(ValueSpan.at(text, value, ValueSpan.Kind.PLAIN).behind);
    return behind >= text.length() || isOneOf(at(behind), ")]\n\\");
  }

  /** The position after the tag at `at`; -1 if there is none. */
  private int skipTag(int at) {
    if (ValueSpan.unit(text, at).character != '<') {
      return -1;
    }
    int limit = Math.min(text.length(), at + MAX_TAG);
    for (int i = at; i < limit; i++) {
      Unit unit = ValueSpan.unit(text, i);
      if (unit.character == '>') {
        return i + unit.size;
      }
    }
    return -1;
  }

  /** The value in <name>X</name>, and in <td>name</td> <td>X</td>; -1 without. */
  private int findInTags(int begin, int end) {
    Unit unit = ValueSpan.unit(text, end);
    if (unit.character == '>') {
      char before = before(begin);
      return before == '<' || before == ':' || before == ';' ? end + unit.size : -1;
    }
    if (isSpace(at(end)) && before(begin) == '<') {
      return findBehindAttributes(end);
    }
    if (unit.character != '<' || at(end + unit.size) != '/') {
      return -1;
    }
    int at = skipTag(end);
    if (at < 0) {
      return -1;
    }
    while (at < text.length()
        && (isSpace(text.charAt(at)) || text.charAt(at) == '\\' && isOneOf(at(at + 1), "nrt"))) {
      at += text.charAt(at) == '\\' ? 2 : 1;
    }
    at = skipTag(at);
    return at < 0 || at(at) == '<' ? -1 : at;
  }

  private int findBehindAttributes(int end) {
    int at = end;
    while (at < text.length() && at - end < MAX_TAG && !isOneOf(text.charAt(at), "<>\n")) {
      at++;
    }
    boolean isTag = at(at) == '>' && at(at - 1) != '/';
    String attributes = text.substring(end, at);
    return isTag && attributes.indexOf('=') >= 0 && Characters.find(attributes, "value", 0) < 0 ? at + 1 : -1;
  }

  private int redactToTag(int value, Secrecy secrecy, int next) {
    int begin = value;
    int end = value;
    if (hasAt(text, value, "<![cdata[")) {
      begin = value + 9;
      int closed = text.indexOf("]]>", begin);
      end = closed < 0 ? text.length() : closed;
    } else {
      while (end < text.length() && text.charAt(end) != '<' && !hasAt(text, end, "&lt;")
          && !hasAt(text, end, "\\u003c")) {
        end++;
      }
      while (begin < end && isSpace(text.charAt(begin))) {
        begin++;
      }
      while (end > begin && isSpace(text.charAt(end - 1))) {
        end--;
      }
    }
    if (isRedactedAt(begin)) {
      return skipRedacted(begin);
    }
    return SecretValue.isHarmless(text.substring(begin, end), secrecy) ? next : redact(begin, end);
  }

  /** "Token: expired at 12:00" is a sentence: a word without digits, followed by another word. */
  private boolean isSentence(ValueSpan span) {
    if (span.end - span.begin > 20 || span.behind != span.end || at(span.end) != ' ' || !isLetter(at(span.end + 1))
        || !isLetter(text.charAt(span.begin))) {
      return false;
    }
    for (int i = span.begin + 1; i < span.end; i++) {
      if (!isLower(text.charAt(i))) {
        return false;
      }
    }
    return true;
  }

  private int redactValue(Found found, int quoteBefore, String name, Secrecy secrecy, int next) {
    if (secrecy == Secrecy.MAYBE) {
      return redactKey(found.value, next);
    }
    Unit quote = ValueSpan.unit(text, found.value);
    boolean isQuoted = quote.isQuote();
    if (found.link == Link.APART && secrecy == Secrecy.STRONG && !isQuoted && isPasswordName(name)) {
      return redactPassword(found.value, next);
    }
    if (found.link == Link.APART && (secrecy == Secrecy.WEAK || !isQuoted)) {
      return redactKey(found.value, next);
    }
    if (isRedactedAt(found.value)) {
      return skipRedacted(found.value);
    }
    if (isQuoted && isRedactedAt(found.value + quote.size)) {
      return skipRedacted(found.value + quote.size);
    }
    ValueSpan span = ValueSpan.at(text, found.value, found.kind);
    if (isRedactedAt(span.begin)) {
      return skipRedacted(span.begin);
    }
    span = extendScheme(span);
    if (!isQuoted && found.link == Link.ASSIGNED) {
      span = extendToQuote(quoteBefore, span);
    }
    String value = text.substring(span.begin, span.end);
    if (SecretValue.isHarmless(value, secrecy) || isDirectoryVariable(name) && value.startsWith("/")
        || found.link == Link.PROSE && secrecy == Secrecy.WEAK && isSentence(span) || value.startsWith("--")) {
      return next;
    }
    return redact(span.begin, span.end);
  }

  private static boolean isDirectoryVariable(String name) {
    return name.equals("PWD") || name.equals("OLDPWD");
  }

  /** "Bearer X" without quotes: the scheme is not the value. */
  private ValueSpan extendScheme(ValueSpan span) {
    if (span.behind != span.end || at(span.end) != ' ' || span.end - span.begin > 16) {
      return span;
    }
    String value = RedactionRules.lower(text.substring(span.begin, span.end));
    return rules.has("scheme", value) ? ValueSpan.at(text, skipBlanks(span.end), ValueSpan.Kind.PLAIN) : span;
  }

  private static boolean isPasswordName(String name) {
    return Characters.find(name, "pass", 0) >= 0 || Characters.find(name, "pwd", 0) >= 0;
  }

  /** "the password hunter2", "password is hunter2": at least six characters with a letter and a digit. */
  private int redactPassword(int value, int next) {
    int end = value;
    boolean hasLetter = false;
    boolean hasDigit = false;
    while (end < text.length() && !isSpace(text.charAt(end)) && !isQuote(text.charAt(end))
        && !isOneOf(text.charAt(end), ",;()<>=\\")) {
      hasLetter = hasLetter || isLetter(text.charAt(end));
      hasDigit = hasDigit || isDigit(text.charAt(end));
      end++;
    }
    if (end < value + 6 || !hasLetter || !hasDigit || at(end) == '=' || at(end) == '(') {
      return next;
    }
    return redact(value, end);
  }

  /** A value that is a secret only by its shape. */
  private int redactKey(int value, int next) {
    Unit quote = ValueSpan.unit(text, value);
    int begin = quote.isQuote() ? value + quote.size : value;
    int end = begin;
    while (end < text.length() && (isAlnum(text.charAt(end)) || isOneOf(text.charAt(end), "+/=_-.%"))) {
      end++;
    }
    while (end > begin && text.charAt(end - 1) == '.') {
      end--;
    }
    boolean isClosed = ValueSpan.unit(text, end).isQuote();
    if (begin > value && !isClosed) {
      return next;
    }
    if (end < text.length() && !isClosed && !isSpace(text.charAt(end))
        && !isOneOf(text.charAt(end), ",;)]}.&<\\\"'")) {
      return next;
    }
    return SecretValue.isHarmless(text.substring(begin, end), Secrecy.MAYBE) ? next : redact(begin, end);
  }

  private static boolean isOfAlphabet(char c, char alphabet) {
    if (alphabet == 'h') {
      return hex(c) >= 0 || c == '-';
    }
    return isAlnum(c) || c == '_' || c == '-' || alphabet == 'd' && isOneOf(c, ".~+/=");
  }

  private int skipAlphabet(int at, char alphabet) {
    int end = at;
    while (end < text.length() && isOfAlphabet(text.charAt(end), alphabet)) {
      end++;
    }
    while (end > at && text.charAt(end - 1) == '.') {
      end--;
    }
    return end;
  }

  /** Whether `at` may start a word: \nghp_… and %20ghp_… do, because the letter before is part of an escape. */
  private boolean beginsWord(int at) {
    if (at <= from || !isAlnum(text.charAt(at - 1))) {
      return true;
    }
    if (at >= from + 2 && text.charAt(at - 2) == '\\' && isOneOf(text.charAt(at - 1), "nrt")) {
      return true;
    }
    return at >= from + 3 && text.charAt(at - 3) == '%' && hex(text.charAt(at - 2)) >= 0
        && hex(text.charAt(at - 1)) >= 0;
  }

  private int token(int at, Trigger rule) {
    int begin = at + rule.literal.length();
    if (!beginsWord(at)) {
      return at + 1;
    }
    int end = skipAlphabet(begin, rule.alphabet);
    return end - begin < rule.least ? at + 1 : redact(at, end);
  }

  /** eyJ….eyJ….… */
  private int webToken(int at) {
    if (!text.startsWith("eyJ", at) || !beginsWord(at)) {
      return at + 1;
    }
    int end = at;
    int dots = 0;
    for (; end < text.length(); end++) {
      if (text.charAt(end) == '.') {
        dots++;
      } else if (!isOfAlphabet(text.charAt(end), 'w')) {
        break;
      }
    }
    while (end > at && text.charAt(end - 1) == '.') {
      end--;
    }
    return end - at < 20 || dots == 0 ? Math.max(at + 1, end) : redact(at, end);
  }

  /** Bearer X, Basic X: a token by its shape, and base64 of USER:PASSWORD. */
  private int scheme(int at, int behind, boolean isBearer) {
    if (!beginsWord(at) || behind >= text.length()) {
      return at + 1;
    }
    int begin = behind;
    if (isBlank(text.charAt(begin))) {
      begin = skipBlanks(begin);
    } else if (text.charAt(begin) == '+' || hasAt(text, begin, "%20")) {
      begin += text.charAt(begin) == '+' ? 1 : 3;
    } else {
      return at + 1;
    }
    int end = skipAlphabet(begin, 'd');
    String value = text.substring(begin, end);
    boolean isSecret = value.length() >= 6
        && (isBearer ? looksLikeBearer(value) : SecretValue.isEncodedUserAndPassword(value));
    return isSecret ? redact(begin, end) : at + 1;
  }

  private static boolean looksLikeBearer(String value) {
    boolean hasDigit = false;
    boolean hasMark = false;
    boolean hasLower = false;
    boolean hasInnerUpper = false;
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      hasDigit = hasDigit || isDigit(c);
      hasMark = hasMark || !isAlnum(c);
      hasLower = hasLower || isLower(c);
      hasInnerUpper = hasInnerUpper || i > 0 && isUpper(c);
    }
    return value.indexOf('=') != 5 && (hasDigit || hasLower && hasInnerUpper || hasMark && value.length() >= 16);
  }

  /** The end of a URL in the text, at most at `limit`. */
  private int urlEnd(int at, int limit) {
    while (at < text.length() && at < limit && !isSpace(text.charAt(at)) && !isQuote(text.charAt(at))
        && !isOneOf(text.charAt(at), "<>\\")) {
      at++;
    }
    return at;
  }

  /** The last @ of [begin, end), or -1. */
  private int lastAt(int begin, int end) {
    for (int at = end - 1; at >= begin; at--) {
      if (text.charAt(at) == '@') {
        return at;
      }
    }
    return -1;
  }

  /**
   * scheme://user:PASSWORD@host: up to the last @ of the URL, as passwords may have one. A number behind the first
   * colon is a port.
   */
  private int url(int at, int begin) {
    if (at <= from || !isAlnum(text.charAt(at - 1))) {
      return at + 1;
    }
    int colon = begin;
    while (colon < text.length() && colon - begin < MAX_USER_INFO && !isOneOf(text.charAt(colon), ":/?#@[,")
        && !isSpace(text.charAt(colon)) && !isQuote(text.charAt(colon)) && !isOneOf(text.charAt(colon), "<>\\")) {
      colon++;
    }
    if (at(colon) == '@') {
      return loneUser(at, begin, colon);
    }
    if (at(colon) != ':') {
      return begin;
    }
    int port = colon + 1;
    while (isDigit(at(port))) {
      port++;
    }
    if (port > colon + 1 && (port >= text.length()
        || !(isAlnum(text.charAt(port)) || isOneOf(text.charAt(port), "@:!$%&*+=~_-.^")))) {
      return begin;
    }
    int last = lastAt(colon + 1, urlEnd(colon + 1, colon + MAX_AUTHORITY));
    if (last <= colon + 1) {
      return begin;
    }
    if (isRedactedAt(colon + 1) && last == colon + 1 + REPLACEMENT.length()) {
      return skipRedacted(colon + 1);
    }
    redact(colon + 1, last);
    return last;
  }

  /** https://TOKEN@host. */
  private int loneUser(int at, int begin, int end) {
    boolean isWeb = at >= 4 && hasAt(text, at - 4, "http") || at >= 5 && hasAt(text, at - 5, "https");
    return isWeb && SecretValue.looksLikeKey(text.substring(begin, end)) ? redact(begin, end) : begin;
  }

  /** jdbc:oracle:thin:user/PASSWORD@host. */
  private int oracle(int begin) {
    int slash = begin;
    while (slash < text.length() && slash - begin < MAX_USER_INFO && !isOneOf(text.charAt(slash), "/@:")
        && !isSpace(text.charAt(slash)) && !isQuote(text.charAt(slash))) {
      slash++;
    }
    if (at(slash) != '/') {
      return begin;
    }
    int first = slash + 1;
    if (at(first) == '"' || at(first) == '\\') {
      ValueSpan span = ValueSpan.at(text, first, ValueSpan.Kind.PLAIN);
      if (isRedactedAt(span.begin)) {
        return skipRedacted(span.begin);
      }
      if (at(span.behind) == '@' && span.end > span.begin) {
        return redact(span.begin, span.end);
      }
    }
    int last = lastAt(first, urlEnd(first, first + MAX_AUTHORITY));
    if (last <= first) {
      return begin;
    }
    return isRedactedAt(first) ? skipRedacted(first) : redact(first, last);
  }

  /** user:PASSWORD@host, without a scheme before it. */
  private int userInfo(int at) {
    int begin = at;
    while (begin > from && at - begin < MAX_USER_INFO && !isSpace(text.charAt(begin - 1))
        && !isQuote(text.charAt(begin - 1)) && !isOneOf(text.charAt(begin - 1), "=,;()<>{}[]/\\|&?")) {
      begin--;
    }
    int colon = begin;
    while (colon < at && text.charAt(colon) != ':') {
      colon++;
    }
    if (colon == begin || at - colon < 4) {
      return at + 1;
    }
    for (int i = begin; i < colon; i++) {
      if (!isAlnum(text.charAt(i)) && !isOneOf(text.charAt(i), "._-")) {
        return at + 1;
      }
    }
    if (rules.has("label", RedactionRules.lower(text.substring(begin, colon)))) {
      return at + 1;
    }
    int end = at + 1;
    boolean hasDot = false;
    while (end < text.length() && (isAlnum(text.charAt(end)) || isOneOf(text.charAt(end), ".-_"))) {
      hasDot = hasDot || text.charAt(end) == '.' && isAlnum(at(end + 1));
      end++;
    }
    if (end == at + 1) {
      return at + 1;
    }
    boolean hasPort = at(end) == ':' && isDigit(at(end + 1));
    boolean isHost = hasDot || hasPort || hasAt(text, at + 1, "localhost") || at(end) == '/';
    boolean isName = text.substring(colon + 1, at).chars().allMatch(c -> isLower((char) c) || c == '.');
    if (!isHost || isName && !hasPort) {
      return at + 1;
    }
    redact(colon + 1, at);
    return at + 1;
  }

  /** -----BEGIN … PRIVATE KEY----- to its end, or to the end of the text. */
  private int privateKey(int at) {
    String header = text.substring(at, Math.min(text.length(), at + MAX_TAG));
    if (Characters.find(header, "private key", 0) < 0) {
      return at + 1;
    }
    int last = Characters.find(text, "-----end", at);
    int dashes = last < 0 ? -1 : text.indexOf("-----", last + 5);
    return redact(at, dashes < 0 ? text.length() : dashes + 5);
  }

  private int webhook(int begin) {
    int end = urlEnd(begin, text.length());
    if (end == begin) {
      return begin;
    }
    return isRedactedAt(begin) ? skipRedacted(begin) : redact(begin, end);
  }

  /** IDENTIFIED BY 'X', IDENTIFIED BY X. */
  private int identifiedBy(int behind) {
    int value = skipBlanks(behind);
    if (value == behind || value >= text.length() || hasAt(text, value, "password ")) {
      return behind;
    }
    ValueSpan span = ValueSpan.at(text, value, ValueSpan.Kind.PLAIN);
    if (isRedactedAt(span.begin)) {
      return skipRedacted(span.begin);
    }
    boolean isHarmless = SecretValue.isHarmless(text.substring(span.begin, span.end), Secrecy.STRONG);
    return isHarmless ? behind : redact(span.begin, span.end);
  }

  /** Records the secret values of the command's options; other rules are applied first. */
  private int command(int at, String command) {
    int behind = at + command.length();
    boolean isPart = at > from && isOneOf(text.charAt(at - 1), "_.-") || !beginsWord(at);
    if (isPart || behind >= text.length() || !isSpace(text.charAt(behind))) {
      return at + 1;
    }
    int limit = Math.min(text.length(), behind + MAX_COMMAND);
    for (int i = behind; i < limit && text.charAt(i) != '\n'; i++) {
      if (text.charAt(i) != '-' || !isSpace(text.charAt(i - 1))) {
        continue;
      }
      for (RedactionRules.CommandRule rule : rules.commands) {
        if (rule.command.equals(command) && text.startsWith(rule.option, i)) {
          rememberCommandValue(rule, i + rule.option.length());
        }
      }
    }
    return behind;
  }

  private void rememberCommandValue(RedactionRules.CommandRule rule, int glued) {
    boolean isApart = glued < text.length() && isSpace(text.charAt(glued));
    boolean isAssigned = at(glued) == '=' && rule.option.startsWith("--");
    if (rule.form == '+' && isApart || (rule.form == '-' || rule.form == ':') && !isApart && !isAssigned) {
      return;
    }
    int value = isApart ? skipBlanks(glued) : isAssigned ? glued + 1 : glued;
    if (value >= text.length() || text.charAt(value) == '-' || text.charAt(value) == '\n') {
      return;
    }
    ValueSpan span = ValueSpan.at(text, value, ValueSpan.Kind.PLAIN);
    if (rule.form == ':') {
      int colon = text.indexOf(':', span.begin);
      if (colon < 0 || colon >= span.end) {
        return;
      }
      span = new ValueSpan(colon + 1, span.end, span.behind);
    }
    if (span.end == span.begin || isRedactedAt(span.begin)) {
      return;
    }
    int place = commandValues.size();
    while (place > 0 && commandValues.get(place - 1).begin > span.begin) {
      place--;
    }
    commandValues.add(place, span);
  }

  /** Redacts the recorded values that start before `at`. */
  private void takeCommandValues(int at) {
    while (!commandValues.isEmpty() && commandValues.get(0).begin < at) {
      ValueSpan span = commandValues.remove(0);
      if (span.begin >= from) {
        redact(span.begin, span.end);
      }
    }
  }
}
