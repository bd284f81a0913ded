fun main() {
    readLine()
    while (true) {
        for (i in 1..10) if (readLine() == null) return
        val count = readLine()!!.toInt()
        val actions = List(count) { readLine()!! }
        println(actions[0])
    }
}
