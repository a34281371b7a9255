// Words that say nothing are left out of a search: the theme looks for all words that begin with those that are typed,
// so that "in" of "nan in softmax" would find "inverse" and "internal".

const SILENT = new Set("a after an and are as at be by can do does for from have how i if in is it its my of on or so the then there this to was what when which why will with".split(" "));

const post = Worker.prototype.postMessage;
Worker.prototype.postMessage = function (message, ...rest) {
  // 2: a query, see the theme's SearchMessageType
  const asks = message?.type === 2 && typeof message.data === "string";
  return post.call(this, asks ? { ...message, data: telling(message.data) } : message, ...rest);
};

function telling(query) {
  if (query.includes('"')) return query;
  const words = query.split(/\s+/).filter((word) => word && !SILENT.has(word.toLowerCase()));
  return words.join(" ") || query;
}
